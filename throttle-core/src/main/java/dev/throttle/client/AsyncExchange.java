package dev.throttle.client;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An exchange for which no thread waits. Its futures may complete on any thread.
 *
 * @param <R> a response of the HTTP client
 */
public interface AsyncExchange<R> extends Exchange<R> {

    /**
     * Sends the request once, as {@link BlockingExchange#send} does.
     *
     * @param attempt the attempt
     * @return completes with the response; with null if the exchange ends without any
     */
    CompletableFuture<? extends @Nullable R> send(Attempt attempt);

    /**
     * Reads the beginning of a body, not longer than a bounded time.
     *
     * @param response the response
     * @return completes with what it begins with
     */
    CompletableFuture<Peeked<R>> peek(R response);

    /**
     * Drops a response whose request is sent again.
     *
     * @param response the response
     * @return completes when its connection is free, or is given up
     */
    CompletableFuture<?> discard(R response);

    /**
     * Asks for the permits of the next attempt. A door with other bounds, such as places in a dispatcher, has them here
     * too.
     *
     * @param call the call
     * @return completes when the attempt may go
     */
    default CompletableFuture<?> acquire(KeyedCall call) {
        return call.acquireAsync();
    }

    /**
     * Tells how the call has ended, once.
     *
     * @param response the response; null if the call failed, or ended without any
     * @param failure what the call failed with; null if it did not
     * @param isAfterWait whether the calling thread is needed for other calls, so that code of the user should not run
     *     on it
     */
    void ended(@Nullable R response, @Nullable Throwable failure, boolean isAfterWait);
}
