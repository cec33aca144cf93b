package dev.throttle.jdkhttp;

import dev.throttle.client.Attempt;
import dev.throttle.client.Exchange;
import dev.throttle.client.FailureKind;
import dev.throttle.client.KeyedCall;
import dev.throttle.signal.ResponseHead;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** One call of the client, as far as it does not matter whether a thread waits for it. */
abstract class JdkExchange<T> implements Exchange<JdkAnswer<T>>, Calls.Abortable {

    private static final int FIRST_ERROR = 400;

    private final ClientParts parts;
    private final KeyedCall call;
    private final HttpRequest request;
    /** The request of the attempt under way, as the caller or the function of a pool has made it. */
    private volatile HttpRequest outgoing;

    private final BodyHandler<T> callersHandler;
    /** What the attempt under way, or the last one, is answered with; null while the call waits. */
    private volatile @Nullable JdkAnswer<T> answer;
    /** What the last attempt was refused with; 0 if it was not. */
    private volatile int lastStatus;

    JdkExchange(ClientParts parts, KeyedCall call, HttpRequest request, BodyHandler<T> callersHandler) {
        this.parts = parts;
        this.call = call;
        this.request = request;
        this.outgoing = request;
        this.callersHandler = callersHandler;
    }

    final ClientParts parts() {
        return parts;
    }

    final KeyedCall call() {
        return call;
    }

    final HttpRequest request() {
        return request;
    }

    /** {@return the request of the attempt under way} */
    final HttpRequest outgoing() {
        return outgoing;
    }

    final BodyHandler<T> callersHandler() {
        return callersHandler;
    }

    /** {@return whether another key than that of the request may turn out to have answered it} */
    final boolean mayLeadAway() {
        return parts.mayLeadAway();
    }

    final BodyPolicy bodies() {
        return parts.bodies();
    }

    final @Nullable String path() {
        return request.uri().getRawPath();
    }

    final long now() {
        return call.time().nanoTime();
    }

    /** Begins an attempt, which is sent now. */
    final JdkAnswer<T> begin(Attempt attempt) {
        outgoing = parts.requestOf(call, request); // user code: what it throws, it throws before anything has begun
        attempt.begin();
        JdkAnswer<T> begun = new JdkAnswer<>(this, attempt);
        answer = begun;
        return begun;
    }

    /** An answer is there, of which the throttle is not told yet. */
    final void note(int status) {
        lastStatus = status < FIRST_ERROR ? 0 : status;
    }

    /** {@return what the call fails with if it was ended from outside} */
    final IOException closed() {
        return Calls.closedAfter(lastStatus);
    }

    /**
     * {@return the key of the request that a response answers} That was sent already, so that a key resolver that fails
     * for it, or exempts it, must not fail the call.
     */
    final String senderKeyOf(HttpResponse<?> response) {
        try {
            String key = parts.starter().keyOf(response.request());
            return key == null ? call.key() : key;
        } catch (RuntimeException e) {
            return call.key(); // such as one that expects the caller's own type of request
        }
    }

    /** The attempt is over, and there is to be another: many calls may wait for that. */
    final void forgetAnswer() {
        answer = null;
    }

    /** Reads no further what is left of a body. */
    final void stopReading() {
        JdkAnswer<T> underWay = answer;
        if (underWay != null) {
            underWay.stop(closed());
        }
    }

    @Override
    public ResponseHead head(JdkAnswer<T> response) {
        return response.head();
    }

    @Override
    public @Nullable FailureKind kindOf(Throwable failure) {
        return JdkFailures.of(failure, request);
    }

    @Override
    public Throwable unsent(Throwable failure) {
        return failure instanceof CancellationException ? closed() : failure;
    }
}
