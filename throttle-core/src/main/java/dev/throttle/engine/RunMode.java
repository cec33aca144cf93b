package dev.throttle.engine;

import dev.throttle.ThrottleState;
import org.jspecify.annotations.Nullable;

/**
 * What the program has asked of a throttle, or of a set of them.
 *
 * @param state whether calls are let go
 * @param standStill whether the bounds of waits stand still meanwhile; only while it is paused
 * @param endsAt when all waits have to be over; null if they need not
 */
public record RunMode(
        ThrottleState state, boolean standStill, @Nullable Long endsAt) {

    /** Calls are let go. */
    public static final RunMode RUNNING = new RunMode(ThrottleState.RUNNING, false, null);
    /** No call is let go; the bounds of waits count. */
    public static final RunMode PAUSED = new RunMode(ThrottleState.PAUSED, false, null);
    /** No call is let go; the bounds of waits stand still. */
    public static final RunMode STANDING_STILL = new RunMode(ThrottleState.PAUSED, true, null);
    /** Calls that wait are let go, and new ones are rejected. */
    public static final RunMode DRAINING = new RunMode(ThrottleState.DRAINING, false, null);
    /** No call is let go any more. */
    public static final RunMode CLOSED = new RunMode(ThrottleState.CLOSED, false, null);

    /**
     * {@return that all waits have to be over by an instant} Whether calls are let go does not change by it.
     *
     * @param instant the instant
     */
    public static RunMode endingAt(long instant) {
        return new RunMode(ThrottleState.RUNNING, false, instant);
    }

    /**
     * {@return what becomes of this mode if another is asked for} What is closed stays closed, and an end of waits
     * stays until it runs again.
     */
    public RunMode then(RunMode next) {
        if (state == ThrottleState.CLOSED) {
            return this;
        }
        if (next.endsAt != null) {
            return new RunMode(state, false, next.endsAt);
        }
        boolean staysBounded = next.state == ThrottleState.PAUSED || next.state == ThrottleState.DRAINING;
        return staysBounded && endsAt != null ? new RunMode(next.state, false, endsAt) : next;
    }
}
