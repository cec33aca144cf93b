package dev.throttle;

import dev.throttle.engine.RunMode;
import java.util.concurrent.CompletableFuture;

/** What can be paused, resumed, drained and closed: a throttle, or all throttles of a registry together. */
abstract class Pausable {

    Pausable() {}

    /**
     * Sends no requests until {@link #resume()} is called. Callers wait in the queue and keep their places. The pause
     * counts towards {@code maxWait}: a caller whose wait becomes too long is rejected with reason {@code paused}.
     * Requests in flight end as usual. Has no effect after {@link #close()}.
     */
    public final void pause() {
        ask(RunMode.PAUSED);
    }

    /**
     * Sends no requests until {@link #resume()} is called, like {@link #pause()}, but the pause does not count towards
     * {@code maxWait}, and no caller is rejected because of it. Only a caller that may not wait at all is rejected,
     * with reason {@code paused}. Has no effect after {@link #close()}.
     */
    public final void pauseUncounted() {
        ask(RunMode.STANDING_STILL);
    }

    /** Ends a pause or a drain. Has no effect after {@link #close()}. */
    public final void resume() {
        ask(RunMode.RUNNING);
    }

    /**
     * Rejects new calls from now on, with reason {@code draining}. Calls that already wait are served as usual, and so
     * are their retries. Draining ends a pause. After {@link #close()} this only waits for the requests in flight.
     *
     * @return a future that completes, on the throttle's executor, when no call is waiting and no request is in flight.
     *     A call that is about to be retried counts until it asks again, for at most one second. The future is
     *     cancelled if {@link #resume()} or {@link #pause()} is called first
     */
    public abstract CompletableFuture<Void> drain();

    /**
     * Closes permanently. All waiting and all new callers are rejected with reason {@code closed}. Requests in flight
     * end as usual and are not retried; {@link #drain()} tells when they have ended. Closing again has no effect.
     */
    public final void close() {
        ask(RunMode.CLOSED);
    }

    abstract void ask(RunMode mode);
}
