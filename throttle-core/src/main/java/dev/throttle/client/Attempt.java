package dev.throttle.client;

import dev.throttle.Permit;
import dev.throttle.client.KeyedCall.KeyEntry;
import dev.throttle.internal.Causes;
import dev.throttle.internal.Faults;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Cost;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.signal.usage.BodyReport;
import dev.throttle.signal.usage.BodyTail;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a call, with all the requests that the HTTP client sends for it. As a rule there is one. If the client
 * follows redirects, authenticates or repeats by itself, there are more. Each answer is booked on the key of its
 * sender, and the last one decides whether there is another attempt.
 *
 * <p>The first request is the call's own: it uses the permit that was waited for, even if the client sends it to
 * another URL than the user's, and so do later requests to that URL. Each further one to another key is charged there
 * and never held back.
 *
 * <p>A door calls {@link #begin} when a request goes out. When its head is there, the door or the loop calls
 * {@link #answered}, and {@link #looked} if {@link #wantsBody} then says so. From then on {@link #isRepeated} says
 * whether the body is still needed. The loop ends the attempt. One thread at a time uses it.
 */
public final class Attempt {

    /** What is said about a quota is old after this time. */
    private static final long OLD_NANOS = 5_000_000_000L;

    private static final Faults FAULTS = new Faults("reporting the end of a request to its throttle");

    private final SafeBodyClassifier classifier;
    private final KeyedCall call;

    private boolean isUnsent = true;
    /** The key of the URL that the first request was sent to. */
    private @Nullable String firstKey;
    /** The request that began last; null before the first, or if that one is not throttled. */
    private volatile @Nullable Request last;

    /** Begins the next attempt of a call, for which all permits are held. */
    Attempt(SafeBodyClassifier classifier, KeyedCall call) {
        this.classifier = classifier;
        this.call = call;
        call.beginAttempt();
    }

    // ---- what a door tells

    /** Begins the request of the call, which goes out now. */
    public void begin() {
        begin(call.key());
    }

    /**
     * Begins a request, which goes out now.
     *
     * @param key the key of its URL; null if that is not throttled
     * @return whether it counts; false if it is not throttled, or part of a request that another observer has begun
     * @throws RuntimeException if the throttle of the key cannot be made, or can never grant the call's cost; nothing
     *     has begun then, and nothing should be sent
     */
    public boolean begin(@Nullable String key) {
        Request previous = last;
        if (previous != null && previous.isUnderWay()) {
            return false;
        }
        boolean isOwn = isUnsent || Objects.equals(key, firstKey);
        KeyEntry entry = isOwn ? call.own() : key == null ? null : call.entryOf(key);
        if (previous != null) {
            previous.undecided = null; // the client has sent it again by itself
            previous.settle();
        }
        if (isUnsent) {
            isUnsent = false;
            firstKey = key;
        }
        last = entry == null ? null : new Request(entry, call.take(entry), previous);
        return entry != null;
    }

    /** {@return whether no request has begun} */
    public boolean isUnsent() {
        return isUnsent;
    }

    /**
     * Reads the head of an answer to the request that began last, and ends that request unless a look at the body is
     * wanted. Should none be taken before the next request or the end of the attempt, the head alone counts.
     *
     * @param answer status and headers
     */
    public void answered(ResponseHead answer) {
        Request current = last;
        if (current != null) {
            Signal signal = current.read(answer);
            current.answered(answer, signal, classifier.needsBody(answer, signal));
        }
    }

    /**
     * Reads the head of an answer that the door could not tell at once. If it is old by now, only its outcome counts.
     *
     * @param answer status and headers
     * @param at when it came, by the clock of the call
     */
    public void answered(ResponseHead answer, long at) {
        Request current = last;
        if (current == null || call.time().nanoTime() - at <= OLD_NANOS) {
            answered(answer);
        } else {
            current.answered(answer, Signal.of(current.read(answer).outcome()), false);
        }
    }

    /** {@return whether the answer to the request that began last was read} */
    public boolean isAnswered() {
        Request current = last;
        return current != null && current.head != null;
    }

    /**
     * {@return whether the loop may have to look at the body of an answer, or to drop it}
     *
     * @param answer status and headers; nothing is learned from them
     */
    public boolean mayTakeBody(ResponseHead answer) {
        Request current = last;
        if (current == null) {
            return false;
        }
        Signal signal = current.read(answer);
        boolean mayRepeat = signal.outcome().isTransient() && !current.entry.call.isObserved();
        return mayRepeat || classifier.needsBody(answer, signal);
    }

    /** {@return whether the beginning of the body may say more than the head} */
    public boolean wantsBody() {
        Request current = last;
        return current != null && current.wantsBody;
    }

    /**
     * Ends the request by what its body says.
     *
     * @param start the beginning of the body, maybe compressed
     */
    public void looked(byte[] start) {
        Request current = last;
        ResponseHead head = current == null ? null : current.head;
        if (current != null && head != null) {
            current.answered(head, classifier.classify(head, current.said, start), false);
        }
    }

    /** {@return whether the request is sent again, as far as its answer decides that} */
    public boolean isRepeated() {
        Request current = last;
        return current != null && current.isRetry;
    }

    /**
     * Ends the request that began last with a failure.
     *
     * @param kind what it says; null if nothing was sent
     * @param cause what was thrown
     */
    public void failed(@Nullable FailureKind kind, Throwable cause) {
        Request current = last;
        if (current == null) {
            return;
        }
        if (kind == null) {
            current.release();
        } else {
            current.fail(Thread.currentThread().isInterrupted() ? FailureKind.CANCELLED : kind, cause);
        }
    }

    /**
     * Ends the request that began last with a failure, unless the HTTP client sends it again by itself, as after a
     * connection that the server had closed while it was idle. Then the request was given up, as far as the throttle
     * knows, and the next one tells how the attempt went. The server may have counted both.
     *
     * @param kind what it says
     * @param cause what was thrown
     */
    public void failedUnlessRepeated(FailureKind kind, Throwable cause) {
        Request current = last;
        if (current == null) {
            return;
        }
        if (Thread.currentThread().isInterrupted()) {
            current.fail(FailureKind.CANCELLED, cause);
        } else {
            current.failure = cause;
            current.undecided = kind;
        }
    }

    // ---- the end, which the loop tells

    /** {@return whether the request that began last is to be judged by its body, which belongs to this response} */
    boolean wantsBodyOf(ResponseHead response) {
        Request current = last;
        ResponseHead head = current == null ? null : current.head;
        return wantsBody() && head != null && head.status() == response.status();
    }

    /**
     * Ends the attempt with the response that the caller would see.
     *
     * @param status its status. If it is not what the server sent, an interceptor has dealt with the answer, and it is
     *     not repeated
     * @param isCancelled whether the caller has cancelled the request
     * @return whether there is to be another attempt; the response is then to be dropped
     */
    boolean end(int status, boolean isCancelled) {
        if (isCancelled) {
            call.cancel();
        }
        Request ended = settled();
        return conclude(ended != null && ended.status == status ? ended : null);
    }

    /**
     * Ends the attempt with a failure. If it is not what the last request ended with, an interceptor has thrown it, and
     * nothing is repeated. A client that has tried another connection by itself, in vain, adds what the request ended
     * with to its failure as suppressed.
     *
     * @param thrown what the caller would see
     * @param isCancelled whether the caller has cancelled the request
     * @param kinds says what a failure tells about the server; null if nothing was sent
     * @return whether there is to be another attempt
     */
    boolean end(Throwable thrown, boolean isCancelled, Function<Throwable, @Nullable FailureKind> kinds) {
        Throwable failure = Causes.unwrap(thrown);
        Request current = last;
        if (isCancelled) {
            call.cancel();
            failed(FailureKind.CANCELLED, failure);
        } else if (current != null && current.head == null && current.undecided == null) {
            failed(kinds.apply(failure), failure);
        }
        Request ended = settled();
        return conclude(ended != null && ended.hasFailedWith(failure) ? ended : null);
    }

    /** Ends the attempt, whatever became of it. No permit outlives it. Not after the call has asked again. */
    void abandon() {
        settled();
        call.release();
    }

    /** {@return the last request, which has ended; null if there is none} */
    private @Nullable Request settled() {
        Request current = last;
        if (current != null) {
            current.settle();
        }
        return current;
    }

    /** Gives back what the attempt did not use; {@return whether there is to be another one, to mend a request} */
    private boolean conclude(@Nullable Request ended) {
        call.release();
        if (ended == null || !ended.isRetry || call.isCancelled()) {
            return false;
        }
        call.repeat(ended.entry, ended.failure);
        return true;
    }

    // ---- what the body tells, maybe long after the end

    /**
     * {@return what listens to the body of the response for the caller; null if the body tells no cost}
     *
     * @param response the response as it is delivered
     * @param path the path of the request
     */
    public @Nullable BodyCosts costs(ResponseHead response, @Nullable String path) {
        Request current = last;
        boolean mayTell = current == null
                ? call.countsCosts()
                : current.entry.call.countsCosts() || current.said.hints().countsCosts();
        return mayTell || (path != null && BodyTail.isGraphQl(path))
                ? BodyCosts.of(response, call.time(), this::report)
                : null;
    }

    /**
     * Learns what the body of the last answer says. Without effect if that request was not throttled.
     *
     * @param report what it says
     */
    void report(BodyReport report) {
        Request current = last;
        if (current == null) {
            return;
        }
        Cost actual = report.cost();
        if (actual != null) {
            current.settle(actual);
        }
        current.granted.observe(new RateHints(report.retryAfter(), report.quotas()));
    }

    /** One request on the wire. Of its ends the first counts. Nothing that user code throws gets out of them. */
    private final class Request {

        private final KeyEntry entry;
        private final Permit granted;
        /** The request of the same attempt before this one, which was answered with a redirect or the like. */
        private final @Nullable Request before;

        private volatile boolean hasEnded;
        /** Null until it is answered. */
        private volatile @Nullable ResponseHead head;
        /** What the answer says, as far as it was read. */
        private volatile Signal said = Signal.IGNORED;
        /** Whether it is to be judged by the body of its answer. */
        private volatile boolean wantsBody;
        /** What the client threw, if it failed. */
        private volatile @Nullable Throwable failure;
        /** The failure of a request that the client may repeat by itself. */
        private volatile @Nullable FailureKind undecided;
        /** Whether the throttle would send it again. */
        private volatile boolean isRetry;
        /** Of the answer that is to be repeated; 0 for a failure. */
        private volatile int status;
        /** Lets other calls go again that are held back while the body is looked at; null if none are. */
        private volatile @Nullable Runnable hold;

        private Request(KeyEntry entry, Permit granted, @Nullable Request before) {
            this.entry = entry;
            this.before = before;
            this.granted = granted;
        }

        private boolean isUnderWay() {
            return !hasEnded && head == null && undecided == null;
        }

        private Signal read(ResponseHead answer) {
            try {
                return entry.call.read(answer);
            } catch (Throwable e) {
                FAULTS.report(e);
                return Signal.IGNORED;
            }
        }

        private void answered(ResponseHead answer, Signal signal, boolean needsBody) {
            said = signal;
            head = answer;
            wantsBody = needsBody;
            if (!needsBody) {
                end(answer, signal, null);
            } else if (signal.hints().refusalWait() != null) {
                // A call that comes now must not slip through while the body is looked at.
                hold = entry.call.holdWhileUnknown(signal);
                if (hasEnded) {
                    letGo();
                }
            }
        }

        private void letGo() {
            Runnable held = hold;
            if (held != null) {
                hold = null;
                held.run();
            }
        }

        private void fail(FailureKind kind, @Nullable Throwable cause) {
            if (end(null, kind.signal(), kind)) {
                failure = cause;
            }
        }

        /** Ends it by what is known so far. */
        private void settle() {
            ResponseHead answer = head;
            FailureKind kind = undecided;
            if (answer != null) {
                end(answer, said, null);
            } else if (kind != null) {
                fail(kind, failure);
            } else {
                fail(FailureKind.CANCELLED, null);
            }
        }

        /** It was not sent after all. */
        private void release() {
            if (tryEnd()) {
                granted.release();
                letGo();
            }
        }

        /** {@return whether it had not ended before} */
        private boolean end(@Nullable ResponseHead answer, Signal signal, @Nullable FailureKind kind) {
            if (!tryEnd()) {
                return false;
            }
            try {
                RetryDecision decision = call.complete(entry, granted, answer, signal, kind);
                if (decision.isRetry() || entry.call.isTurnedAway()) {
                    status = answer == null ? 0 : answer.status();
                    isRetry = true;
                }
            } catch (Throwable e) {
                granted.end(Signal.IGNORED); // without effect if it has ended
                FAULTS.report(e);
            } finally {
                letGo();
            }
            return true;
        }

        private synchronized boolean tryEnd() {
            boolean isFirst = !hasEnded;
            hasEnded = true;
            return isFirst;
        }

        @SuppressWarnings("ReferenceEquality") // the very exception that the request ended with, and not one like it
        private boolean hasFailedWith(Throwable thrown) {
            Throwable own = failure;
            return own != null
                    && (own == thrown || Arrays.stream(thrown.getSuppressed()).anyMatch(other -> other == own));
        }

        /**
         * Tells what the request truly took. Those of the attempt before it, which were answered with a redirect or the
         * like, took nothing of what is named. It counts once.
         */
        private void settle(Cost actual) {
            granted.settle(actual);
            if (before != null) {
                before.settle(
                        actual.units().stream().reduce(Cost.NONE, (none, unit) -> none.and(unit, 0), Cost::orElse));
            }
        }
    }
}
