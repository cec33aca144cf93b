package dev.throttle.client;

import dev.throttle.signal.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * What a door does for {@link CallLoop}: it knows one request and how its HTTP client sends it. A door that waits on
 * the calling thread implements {@link BlockingExchange}, one that does not {@link AsyncExchange}.
 *
 * @param <R> a response of the HTTP client
 */
public interface Exchange<R> {

    /**
     * {@return status and headers of a response}
     *
     * @param response what an attempt was answered with
     */
    ResponseHead head(R response);

    /**
     * Says what a failed attempt tells about the server.
     *
     * @param failure what was thrown
     * @return its kind; null if nothing was sent, as with an argument that the HTTP client does not take
     */
    @Nullable FailureKind kindOf(Throwable failure);

    /** {@return whether the caller has given up the request that is under way} */
    default boolean isCancelled() {
        return false;
    }

    /**
     * Says what the caller gets if the wait for an attempt fails, so that nothing is sent.
     *
     * @param failure what the wait has failed with
     * @return what the caller gets
     */
    default Throwable unsent(Throwable failure) {
        return failure;
    }

    /**
     * Prepares the response that the caller gets, for {@link Attempt#costs}.
     *
     * @param response the response
     * @param attempt the attempt
     * @return the response for the caller, whose body may report its cost while it is read
     */
    default R deliver(R response, Attempt attempt) {
        return response;
    }

    /**
     * A response whose body was looked at.
     *
     * @param response the response to go on with, whose body is whole
     * @param start the first bytes of the body, at most {@link dev.throttle.signal.BodyClassifier#MAX_BYTES}
     * @param <R> a response of the HTTP client
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over, and not compared
    record Peeked<R>(R response, byte[] start) {}
}
