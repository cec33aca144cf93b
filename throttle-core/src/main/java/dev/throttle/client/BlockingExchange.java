package dev.throttle.client;

import java.io.IOException;

/**
 * An exchange on the calling thread.
 *
 * @param <R> a response of the HTTP client
 */
public interface BlockingExchange<R> extends Exchange<R> {

    /**
     * Waits for the permits of the next attempt. A door that has to look out for cancellations does that here.
     *
     * @param call the call
     * @throws IOException if the attempt must not be sent
     * @throws InterruptedException if the thread is interrupted
     */
    default void acquire(KeyedCall call) throws IOException, InterruptedException {
        call.acquire();
    }

    /**
     * Sends the request once. It calls {@link Attempt#begin} for each request that goes out, and may call
     * {@link Attempt#answered} for each answer; the loop reads the last one if it does not.
     *
     * @param attempt the attempt
     * @return the response
     * @throws IOException if there is none
     * @throws InterruptedException if the thread is interrupted
     */
    R send(Attempt attempt) throws IOException, InterruptedException;

    /**
     * Reads the beginning of a body, not longer than a bounded time.
     *
     * @param response the response
     * @return what it begins with
     * @throws IOException if the response is not usable any more
     * @throws InterruptedException if the thread is interrupted
     */
    Peeked<R> peek(R response) throws IOException, InterruptedException;

    /**
     * Drops a response whose request is sent again, so that its connection is free.
     *
     * @param response the response
     * @throws IOException if the call cannot go on
     * @throws InterruptedException if the thread is interrupted
     */
    void discard(R response) throws IOException, InterruptedException;
}
