package dev.throttle.reality.load;

import java.util.concurrent.CompletableFuture;

/** A client that makes the same call again and again. It is safe for use by many threads. */
public interface LoadClient extends AutoCloseable {

    /**
     * Makes a call on this thread.
     *
     * @return the status that the caller gets in the end
     * @throws Exception if the call fails
     */
    int call() throws Exception;

    /** {@return the status of a call that runs on no thread of the caller's} */
    default CompletableFuture<Integer> callLater() {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        status.complete(call());
                    } catch (Exception e) {
                        status.completeExceptionally(e);
                    }
                },
                "call");
        thread.setDaemon(true);
        thread.start();
        return status;
    }

    @Override
    default void close() {}
}
