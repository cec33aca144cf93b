package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Attempt;
import dev.throttle.client.BodyCosts;
import dev.throttle.client.Exchange;
import dev.throttle.client.FailureKind;
import dev.throttle.client.KeyedCall;
import dev.throttle.signal.ResponseHead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * A call in OkHttp's terms: what the doors have in common. It is told which requests go out and what they are answered
 * with, by the observer, or afterwards by the responses that led to the last one.
 */
abstract class OkHttpCall implements Exchange<Response> {

    private static final long MAX_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String NO_OBSERVER = "the observer of a ThrottlingInterceptor is missing: add its observer()"
            + " with addNetworkInterceptor, or redirects and failed connections are not counted as they happen";

    private final Config config;
    private final Request request;
    private final KeyedCall keyed;

    /** The request of the attempt under way, as the program or a function of the member of a pool has made it. */
    private volatile Request outgoing;
    /** The attempt under way; null before the first. */
    private volatile @Nullable Attempt attempt;
    /** Whether the client does not repeat requests that could not be sent. */
    private volatile boolean areFaultsFinal;
    /** In real time, by which OkHttp counts; null if OkHttp's call may take any time. */
    private volatile @Nullable Long timesOutAt;
    /** What the last response came over; null if that is not known. */
    private volatile @Nullable Connection connection;

    OkHttpCall(Config config, Request request, KeyedCall keyed) {
        this.config = config;
        this.request = request;
        this.outgoing = request;
        this.keyed = keyed;
    }

    ThrottleRegistry throttles() {
        return config.throttles();
    }

    final KeyedCall keyed() {
        return keyed;
    }

    /** {@return OkHttp's call for the attempt under way} */
    abstract Call okHttpCall();

    /** @param timeoutNanos how long OkHttp's call may take from now on; 0 for any time */
    final void timesOutAfter(long timeoutNanos) {
        timesOutAt = timeoutNanos == 0 ? null : System.nanoTime() + timeoutNanos;
    }

    /** The next attempt begins. */
    final void begin(Attempt next) {
        attempt = next;
    }

    /** Sends the request through the rest of a chain, of which the interceptor of the throttle is the first part. */
    final Response proceed(Interceptor.Chain chain) throws IOException {
        areFaultsFinal = !OkHttpVersion.retriesConnectionFailures(chain);
        Attempt current = attempt;
        Request toMember = config.requestOf(keyed, chain.request());
        outgoing = toMember;
        Response response;
        try {
            response = chain.proceed(toMember);
        } catch (Throwable failure) {
            if (current != null && current.isUnsent()) {
                current.begin(); // it could not be sent
            }
            throw failure;
        }
        if (current != null && current.isUnsent()) {
            lookBack(response);
            checkObserver(chain.call(), response);
        }
        return response;
    }

    /**
     * A request goes out on the wire.
     *
     * @return whether it is throttled, and was not noticed already by another observer
     * @throws IOException if it must not go out
     */
    final boolean beginRequest(Request sent) throws IOException {
        Attempt current = attempt;
        String key = sent.url().equals(outgoing.url()) ? keyed.key() : config.keyOf(sent);
        try {
            return current != null && current.begin(key);
        } catch (Throwable e) {
            throw Config.mistake(e);
        }
    }

    /** {@return a request that OkHttp is about to send, without what is meant for another origin} */
    final Request withoutForeign(Request next) {
        return config.members() == null ? next : MemberRequests.without(next, outgoing, request);
    }

    /**
     * The request on the wire is answered. If the body may tell more, that is read later, where it is not compressed.
     *
     * @param over what the response came over; null if that is not known
     */
    final void answered(Response response, @Nullable Connection over) {
        Attempt current = attempt;
        if (current != null) {
            connection = over;
            current.answered(new OkHttpHead(response));
        }
    }

    /** The request on the wire has failed; OkHttp may send it again by itself. */
    final void failed(Throwable failure) {
        Attempt current = attempt;
        if (current == null) {
            return;
        }
        FailureKind kind = OkHttpFailures.of(failure, isCancelled(), true);
        if (kind.isPassing() && kind.signal().outcome().isFault()) { // a refusal counts in any case
            current.failedUnlessRepeated(judged(kind), failure);
        } else {
            current.failed(judged(kind), failure);
        }
    }

    private FailureKind judged(FailureKind kind) {
        return areFaultsFinal ? kind.withoutRepetition() : kind;
    }

    /** Without an observer the requests are found afterwards, in the trail of responses that led to the last one. */
    private void lookBack(Response response) {
        Deque<Response> trail = new ArrayDeque<>();
        for (Response r = response; r != null; r = r.priorResponse()) {
            trail.push(r);
        }
        trail.forEach(this::book);
    }

    /** Where the client of a call cannot be seen, its first response tells that it has no observer. */
    private void checkObserver(Call call, Response response) throws IOException {
        if (response.networkResponse() == null || isWebSocket()) {
            return;
        }
        try {
            config.checkObserver(OkHttpVersion.clientOf(call));
        } catch (IOException e) {
            response.close();
            throw e;
        }
    }

    private void book(Response response) {
        Response network = response.networkResponse();
        try {
            if (network != null && beginRequest(response.request())) {
                warnOfMissingObserver();
                // A response merged with a stored one has the stored one's headers about limits.
                answered(response.cacheResponse() == null ? response : network, null);
            }
        } catch (IOException e) {
            config.faults().report(e); // it was sent already
        }
    }

    /** OkHttp lets the handshake of a web socket pass by all network interceptors. */
    private void warnOfMissingObserver() {
        if (config.expectsObserver() && !isWebSocket()) {
            config.misuse().warn(NO_OBSERVER);
        }
    }

    private boolean isWebSocket() {
        return "websocket".equalsIgnoreCase(request.header("Upgrade"));
    }

    @Override
    public final ResponseHead head(Response response) {
        return new OkHttpHead(response);
    }

    @Override
    public final FailureKind kindOf(Throwable failure) {
        return judged(OkHttpFailures.of(failure, isCancelled(), false));
    }

    /** What was canceled, even by the dispatcher, has its end, and so has what runs on an interrupted thread. */
    @Override
    public final boolean isCancelled() {
        return Thread.currentThread().isInterrupted() || okHttpCall().isCanceled();
    }

    final Peeked<Response> look(Response response) {
        BodyPeek peek = new BodyPeek(response, connection);
        return new Peeked<>(peek.response(), peek.await(lookNanos()));
    }

    /** A look that took all the time of the call would lose the response, which the caller has without it. */
    private long lookNanos() {
        Long end = timesOutAt;
        return end == null ? MAX_LOOK_NANOS : Math.min(MAX_LOOK_NANOS, (end - System.nanoTime()) / 2);
    }

    /** What a stored answer has cost is known already. */
    @Override
    public final Response deliver(Response response, Attempt ended) {
        Response network = response.networkResponse();
        boolean isNew = network != null && network.code() == response.code();
        BodyCosts costs =
                isNew ? ended.costs(head(response), response.request().url().encodedPath()) : null;
        return costs == null ? response : CostTee.listen(response, costs);
    }

    @Override
    public Throwable unsent(Throwable failure) {
        return asIOException(failure);
    }

    /** {@return what a call ends with whose wait has failed} */
    final IOException asIOException(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return interrupted("interrupted while waiting for the throttle", failure);
        }
        // The call's timeout and the end of its patience are the same instant: whichever comes first, it timed out.
        if (failure instanceof ThrottleRejectedException && keyed.isTimedOut()) {
            return interrupted("timeout", failure);
        }
        if (failure instanceof CancellationException) {
            return new IOException("Canceled"); // as OkHttp says it
        }
        return failure instanceof IOException e ? e : new IOException("the throttle failed: " + failure, failure);
    }

    /** Throws an interceptor's exception that none may throw, as OkHttp does. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // its caller cannot name it
    static <E extends Throwable> E rethrown(Throwable failure) throws E {
        throw (E) failure;
    }

    static InterruptedIOException interrupted(String message, Throwable cause) {
        InterruptedIOException interrupted = new InterruptedIOException(message);
        interrupted.initCause(cause);
        return interrupted;
    }
}
