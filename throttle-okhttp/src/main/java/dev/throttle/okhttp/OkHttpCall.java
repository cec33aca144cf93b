package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Attempt;
import dev.throttle.client.FailureKind;
import dev.throttle.client.KeyedCall;
import dev.throttle.client.RequestTraits;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** A {@link KeyedCall} in OkHttp's terms: requests, responses, and no exception but {@link IOException}. */
final class OkHttpCall {

    /** An attempt that needs longer than this from the factory to its thread was kept waiting. */
    private static final long OVERDUE_NANOS = 100_000_000;

    private static final String NO_OBSERVER = "the observer of a ThrottlingInterceptor is missing: add its observer()"
            + " with addNetworkInterceptor, or redirects and failed connections are not counted as they happen";

    private final Config config;
    private final Request request;
    private final KeyedCall keyed;
    /** Whether a {@link ThrottlingCall} waits and repeats, so that the interceptor must not. */
    private final boolean isParked;

    /** OkHttp's call, where its thread waits; null if a {@link ThrottlingCall} hears of its cancellation. */
    private @Nullable Call call;

    private volatile boolean areFaultsFinal;
    private volatile boolean isClaimed;
    private volatile long handedOverAt;
    private volatile boolean isToBeRepeated;
    /** What the response came over whose body is to be looked at. */
    private volatile @Nullable Connection connection;
    /** What the next attempt is to end with, instead of being sent. */
    private volatile @Nullable IOException failure;

    private OkHttpCall(Config config, Request request, KeyedCall keyed, boolean isParked) {
        this.config = config;
        this.request = request;
        this.keyed = keyed;
        this.isParked = isParked;
    }

    /**
     * Begins a call.
     *
     * @return null if the request is not throttled
     * @throws IOException if its key cannot be told, or no throttle can ever let it go
     */
    static @Nullable OkHttpCall of(Config config, Request request, boolean isParked) throws IOException {
        CallOptions options = config.optionsOf(request);
        String key = options.isExempt() ? null : config.keyOf(request);
        if (key == null) {
            return null;
        }
        RequestBody body = request.body();
        boolean isReplayable = body == null || !(body.isOneShot() || body.isDuplex());
        try {
            RequestTraits traits = RequestTraits.of(request.method(), isReplayable, options);
            KeyedCall keyed = new KeyedCall(config.throttleOf(), key, traits);
            RequestCosts.derive(keyed, config, request);
            keyed.captureContext();
            return new OkHttpCall(config, request, keyed, isParked);
        } catch (Throwable e) {
            throw Config.mistake(e);
        }
    }

    ThrottleRegistry throttles() {
        return config.throttles();
    }

    KeyedCall keyed() {
        return keyed;
    }

    void mayRepeatFaults(boolean value) {
        if (areFaultsFinal == value) {
            areFaultsFinal = !value;
        }
    }

    /** Waits on the calling thread until the permits of the next attempt are held. */
    void acquire() throws IOException {
        try {
            keyed.acquire();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted("interrupted while waiting for the throttle", e);
        } catch (ThrottleRejectedException e) {
            // The call's timeout and the end of its patience are the same instant: whichever comes first, it timed out.
            throw keyed.isTimedOut() ? interrupted("timeout", e) : e;
        } catch (Throwable e) {
            throw asIOException(e);
        }
    }

    /** Waits on the thread of a call, which ends the wait when it is canceled. */
    void acquire(Call waiting, CallTag tag) throws IOException {
        call = waiting;
        if (!waiting.isCanceled() && keyed.tryAcquire()) {
            return;
        }
        tag.listenTo(waiting);
        CancellationPoll poll = CancellationPoll.of(waiting, keyed);
        try {
            acquire();
        } finally {
            if (poll != null) {
                poll.close();
            }
        }
    }

    /** No tag may refer to its call, or an older OkHttp would keep both for ever. */
    void forgetCall() {
        call = null;
    }

    /** A call that did not wait has nobody who hears of its cancellation: it is asked when it matters. */
    private void noteCancellation() {
        Call asked = call;
        if (asked != null && asked.isCanceled()) {
            keyed.cancel();
        }
    }

    private static InterruptedIOException interrupted(String message, Exception cause) {
        InterruptedIOException interrupted = new InterruptedIOException(message);
        interrupted.initCause(cause);
        return interrupted;
    }

    /** {@return what a call ends with whose wait has failed} */
    static IOException asIOException(Throwable failure) {
        if (failure instanceof IOException e) {
            return e;
        }
        return failure instanceof CancellationException
                ? new IOException("Canceled") // as OkHttp says it
                : new IOException("the throttle failed: " + failure, failure);
    }

    /** The factory has all permits of an attempt, and passes it to OkHttp. */
    void handOver() {
        handedOverAt = keyed.time().nanoTime();
        isClaimed = false;
        isToBeRepeated = false;
    }

    /** The factory lets an attempt end as it would in OkHttp, listeners and all. */
    void fail(IOException cause) {
        failure = cause;
        isClaimed = false;
    }

    @Nullable IOException failure() {
        return failure;
    }

    /** {@return whether the call factory waits and repeats} */
    boolean isParked() {
        return isParked;
    }

    /** {@return whether this interceptor is the first to see an attempt of the call factory} */
    boolean claim() {
        boolean first = isParked && !isClaimed;
        isClaimed = true;
        return first;
    }

    /**
     * {@return whether the attempt stood in the dispatcher's queue, so that its permits are no longer worth anything}
     */
    boolean isOverdue() {
        return keyed.time().nanoTime() - handedOverAt > OVERDUE_NANOS;
    }

    /**
     * A request goes out on the wire.
     *
     * @return null if it is not throttled, or noticed already by another observer
     * @throws IOException if it must not go out
     */
    Attempt.@Nullable Hop beginHop(Request sent) throws IOException {
        String key = sent.url().equals(request.url()) ? keyed.key() : config.keyOf(sent);
        try {
            return keyed.attempt().beginHop(key);
        } catch (Throwable e) {
            throw Config.mistake(e);
        }
    }

    /**
     * Ends a request with a response. If the body may tell more it ends a little later, where the body can be read: on
     * the wire it may be compressed.
     *
     * @param over what the response came over; null if that is not known
     */
    void endHop(Attempt.Hop hop, Response response, @Nullable Connection over) {
        OkHttpHead head = new OkHttpHead(response);
        Signal signal = hop.read(head);
        if (signal.outcome() != Outcome.SUCCESS) {
            noteCancellation();
        }
        if (BodyPeek.isWanted(config, head, signal)) {
            connection = over;
            hop.endWithBody(head, signal);
        } else {
            hop.end(head, signal);
        }
    }

    /** Ends a request with an exception. */
    void failHop(Attempt.Hop hop, Throwable cause, boolean isCanceled, boolean isOnWire) {
        FailureKind kind = OkHttpFailures.of(cause, isCanceled, isOnWire);
        hop.fail(areFaultsFinal ? kind.withoutRepetition() : kind, cause);
    }

    /**
     * Ends an attempt with the response that the user would see.
     *
     * @return the response to go on with, whose body is as it was; if {@link #isToBeRepeated()}, it is to be closed
     */
    Response end(Response response) {
        Attempt attempt = keyed.attempt();
        if (attempt.isUnsent()) {
            lookBack(response);
        }
        Response result = response;
        Attempt.Hop hop = attempt.unsettled();
        ResponseHead head = hop == null ? null : hop.head();
        Signal said = hop == null ? null : hop.said();
        if (hop != null && head != null && said != null && head.status() == response.code()) {
            BodyPeek peek = new BodyPeek(response, connection);
            Signal told = peek.look(config, head, said);
            noteCancellation(); // which the look may have taken long enough for
            hop.end(head, told);
            result = peek.response();
        }
        if (connection != null) {
            connection = null;
        }
        noteCancellation();
        boolean isRepeated = attempt.end(response.code());
        if (isRepeated != isToBeRepeated) {
            isToBeRepeated = isRepeated;
        }
        return isRepeated ? result : listen(result);
    }

    /** What a stored answer has cost is known already. */
    private Response listen(Response response) {
        Response network = response.networkResponse();
        boolean isNew = network != null && network.code() == response.code();
        boolean mayTell = isNew && (keyed.countsCosts() || RequestCosts.isGraphQl(request.url()));
        return mayTell ? CostTee.listen(response, keyed.time(), keyed::report) : response;
    }

    /** Ends an attempt with an exception. */
    void end(Throwable cause, boolean isCanceled) {
        Attempt attempt = keyed.attempt();
        if (attempt.isUnsent() && !(isParked && isCanceled)) {
            Attempt.Hop hop = attempt.beginHop(keyed.key());
            if (hop != null) {
                failHop(hop, cause, isCanceled, false);
            }
        }
        noteCancellation();
        isToBeRepeated = attempt.end(cause);
    }

    /** {@return whether the attempt that ended last is to be followed by another} */
    boolean isToBeRepeated() {
        return isToBeRepeated;
    }

    /** OkHttp lets the handshake of a web socket pass by all network interceptors. */
    private void warnOfMissingObserver() {
        if (!"websocket".equalsIgnoreCase(request.header("Upgrade"))) {
            config.misuse().warn(NO_OBSERVER);
        }
    }

    /** Without an observer the hops are found afterwards, in the trail of responses that led to the last one. */
    private void lookBack(Response response) {
        if (response.priorResponse() == null) {
            book(response);
            return;
        }
        Deque<Response> trail = new ArrayDeque<>();
        for (Response r = response; r != null; r = r.priorResponse()) {
            trail.push(r);
        }
        trail.forEach(this::book);
    }

    /** Begins and ends the request of a response that came before anybody looked. */
    private void book(Response response) {
        Response network = response.networkResponse();
        try {
            Attempt.Hop hop = network == null ? null : beginHop(response.request());
            if (network != null && hop != null) {
                warnOfMissingObserver();
                // A response merged with a stored one has the stored one's headers about limits.
                endHop(hop, response.cacheResponse() == null ? response : network, null);
            }
        } catch (IOException e) {
            config.faults().report(e); // it was sent already
        }
    }
}
