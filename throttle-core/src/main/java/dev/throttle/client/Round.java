package dev.throttle.client;

import dev.throttle.client.KeyedCall.Attempt;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyTail;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call in its loop: which requests went out, and what their answers say. As a rule there is one
 * request. If the HTTP client follows redirects, there are more.
 *
 * <p>A door calls {@link #begin} when a request goes out. When its head is there, the door or the loop calls
 * {@link #answered}, and {@link #looked} if {@link #wantsBody} then says so. From then on {@link #isRepeated} says
 * whether the body is still needed. One thread at a time uses a round.
 */
public final class Round {

    /** What is said about a quota is old after this time. */
    private static final long OLD_NANOS = 5_000_000_000L;

    private final SafeBodyClassifier classifier;
    private final KeyedCall call;
    private final Attempt attempt;
    /** The request that began last; null before the first. */
    private volatile Attempt.@Nullable Hop hop;
    /** The answer to that request; null if there is none yet. */
    private volatile @Nullable ResponseHead head;
    /** What the head says. */
    private volatile Signal said = Signal.IGNORED;

    private volatile boolean wantsBody;
    /** Whether the door has told that the request failed. */
    private volatile boolean hasFailed;

    Round(SafeBodyClassifier classifier, KeyedCall call) {
        this.classifier = classifier;
        this.call = call;
        this.attempt = call.beginAttempt();
    }

    /** Begins the request of the call, which goes out now. */
    public void begin() {
        begin(call.key());
    }

    /**
     * Begins a request, which goes out now.
     *
     * @param key the key of its URL; null if that is not throttled
     * @return whether it counts; false if it is not throttled, or another observer has begun it
     * @throws RuntimeException if the throttle of the key cannot be made, or can never grant the call's cost; nothing
     *     should be sent then
     */
    public boolean begin(@Nullable String key) {
        Attempt.Hop begun = attempt.beginHop(key);
        if (begun == null) {
            return false;
        }
        hop = begun;
        head = null;
        wantsBody = false;
        hasFailed = false;
        return true;
    }

    /** {@return whether no request has begun} */
    public boolean isUnsent() {
        return attempt.isUnsent();
    }

    /**
     * Reads the head of an answer to the request that began last, and ends that request unless a look at the body is
     * wanted.
     *
     * @param answer status and headers
     */
    public void answered(ResponseHead answer) {
        Attempt.Hop current = hop;
        if (current != null) {
            Signal signal = current.read(answer);
            said = signal;
            head = answer;
            wantsBody = classifier.needsBody(answer, signal);
            if (wantsBody) {
                current.endWithBody(answer, signal);
            } else {
                current.end(answer, signal);
            }
        }
    }

    /**
     * Reads the head of an answer that the door could not tell at once. If it is old by now, only its outcome counts.
     *
     * @param answer status and headers
     * @param at when it came, by the clock of the call
     */
    public void answered(ResponseHead answer, long at) {
        Attempt.Hop current = hop;
        if (current == null || call.time().nanoTime() - at <= OLD_NANOS) {
            answered(answer);
        } else {
            said = Signal.of(current.read(answer).outcome());
            head = answer;
            current.end(answer, said);
        }
    }

    /** {@return whether the answer to the request that began last was read} */
    public boolean isAnswered() {
        return head != null;
    }

    /**
     * {@return whether the loop may have to look at the body of an answer, or to drop it}
     *
     * @param answer status and headers; nothing is learned from them
     */
    public boolean mayTakeBody(ResponseHead answer) {
        Attempt.Hop current = hop;
        if (current == null) {
            return false;
        }
        Signal signal = current.read(answer);
        return signal.outcome().isTransient() || classifier.needsBody(answer, signal);
    }

    /** {@return whether the beginning of the body may say more than the head} */
    public boolean wantsBody() {
        return wantsBody;
    }

    /**
     * Ends the request by what its body says.
     *
     * @param start the beginning of the body, maybe compressed
     */
    public void looked(byte[] start) {
        Attempt.Hop current = hop;
        ResponseHead answer = head;
        if (current != null && answer != null) {
            wantsBody = false;
            said = classifier.classify(answer, said, start);
            current.end(answer, said);
        }
    }

    /** {@return whether the request is sent again, as far as its answer decides that} */
    public boolean isRepeated() {
        Attempt.Hop current = hop;
        return current != null && current.isRetry();
    }

    /**
     * Ends the request that began last with a failure.
     *
     * @param kind what it says; null if nothing was sent
     * @param cause what was thrown
     */
    public void failed(@Nullable FailureKind kind, Throwable cause) {
        Attempt.Hop current = hop;
        if (current == null) {
            return;
        }
        hasFailed = true;
        if (kind == null) {
            current.release();
        } else {
            current.fail(Thread.currentThread().isInterrupted() ? FailureKind.CANCELLED : kind, cause);
        }
    }

    /**
     * Ends the request that began last with a failure, unless the HTTP client sends it again by itself; see
     * {@link Attempt.Hop#failUnlessRepeated}.
     *
     * @param kind what it says
     * @param cause what was thrown
     */
    public void failedUnlessRepeated(FailureKind kind, Throwable cause) {
        Attempt.Hop current = hop;
        if (current != null) {
            hasFailed = true;
            if (Thread.currentThread().isInterrupted()) {
                current.fail(FailureKind.CANCELLED, cause);
            } else {
                current.failUnlessRepeated(kind, cause);
            }
        }
    }

    /** {@return whether the request that began last is to be judged by its body, which belongs to this response} */
    boolean wantsBodyOf(ResponseHead response) {
        ResponseHead answer = head;
        return wantsBody && answer != null && answer.status() == response.status();
    }

    /**
     * Ends the attempt with a response.
     *
     * @param status the status that the caller would see
     * @param isCancelled whether the caller has cancelled the request
     * @return whether there is to be another attempt
     */
    boolean end(int status, boolean isCancelled) {
        if (isCancelled) {
            call.cancel();
        }
        return attempt.end(status);
    }

    /**
     * Ends the attempt, which has failed.
     *
     * @param isCancelled whether the caller has cancelled the request
     * @param kinds says what a failure tells about the server; null if nothing was sent
     * @return whether there is to be another attempt
     */
    boolean end(Throwable thrown, boolean isCancelled, Function<Throwable, @Nullable FailureKind> kinds) {
        Throwable cause = thrown.getCause();
        Throwable failure = thrown instanceof CompletionException && cause != null ? cause : thrown;
        if (isCancelled) {
            call.cancel();
            failed(FailureKind.CANCELLED, failure);
        } else if (!isAnswered() && !hasFailed) {
            failed(kinds.apply(failure), failure);
        }
        return attempt.end(failure);
    }

    /**
     * {@return what listens to the body of the response for the caller; null if the body tells no cost}
     *
     * @param response the response as it is delivered
     * @param path the path of the request
     */
    public @Nullable BodyCosts costs(ResponseHead response, @Nullable String path) {
        boolean mayTell =
                call.countsCosts() || said.hints().countsCosts() || (path != null && BodyTail.isGraphQl(path));
        return mayTell ? BodyCosts.of(response, call.time(), call::report) : null;
    }
}
