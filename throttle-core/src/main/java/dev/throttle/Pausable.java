package dev.throttle;

import dev.throttle.engine.RunMode;
import dev.throttle.internal.Preconditions;
import java.util.concurrent.CompletableFuture;

/** What can be paused, resumed, drained and closed: a throttle, or all throttles of a registry together. */
abstract class Pausable {

    Pausable() {}

    /**
     * Lets nobody go until {@link #resume()}. Callers line up and keep their places. The bounds of their waits go on
     * counting: a caller whose wait gets too long is turned away with reason {@code paused}. What is on the wire ends
     * as usual. Without effect once closed.
     */
    public final void pause() {
        pause(WaitBounds.COUNT);
    }

    /**
     * Lets nobody go until {@link #resume()}. A caller that may not wait at all is turned away at once, with reason
     * {@code paused}. Without effect once closed.
     *
     * @param bounds whether the bounds of waits go on counting
     */
    public final void pause(WaitBounds bounds) {
        boolean count = Preconditions.required("bounds", bounds) == WaitBounds.COUNT;
        ask(count ? RunMode.PAUSED : RunMode.STANDING_STILL);
    }

    /** Lets calls go again, after a pause or while it drains. Without effect once closed. */
    public final void resume() {
        ask(RunMode.RUNNING);
    }

    /**
     * Takes no new calls from now on: they are turned away with reason {@code draining}. Those that wait are let go as
     * usual, and so are their retries. Ends a pause. What is closed stays closed, and only what is on the wire is
     * waited for.
     *
     * @return completes, on the throttle's executor, when nobody waits and nothing is on the wire. A call that is to be
     *     repeated counts until it asks again, for a second at most. Cancelled if calls are taken again before
     */
    public abstract CompletableFuture<Void> drain();

    /**
     * Lets nobody go any more. Everybody who waits is turned away with reason {@code closed}, and so is everybody who
     * comes. What is on the wire ends as usual, and is not repeated; {@link #drain()} tells when. Closing again is
     * without effect.
     */
    public final void close() {
        ask(RunMode.CLOSED);
    }

    abstract void ask(RunMode mode);
}
