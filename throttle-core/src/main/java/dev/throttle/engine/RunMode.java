package dev.throttle.engine;

import dev.throttle.ThrottleState;

/**
 * What the program has asked of a throttle, or of a set of them.
 *
 * @param state whether calls are let go
 * @param standStill whether the bounds of waits stand still meanwhile; only while it is paused
 */
public record RunMode(ThrottleState state, boolean standStill) {

    /** Calls are let go. */
    public static final RunMode RUNNING = new RunMode(ThrottleState.RUNNING, false);
    /** No call is let go; the bounds of waits count. */
    public static final RunMode PAUSED = new RunMode(ThrottleState.PAUSED, false);
    /** No call is let go; the bounds of waits stand still. */
    public static final RunMode STANDING_STILL = new RunMode(ThrottleState.PAUSED, true);
    /** Calls that wait are let go, and new ones are rejected. */
    public static final RunMode DRAINING = new RunMode(ThrottleState.DRAINING, false);
    /** No call is let go any more. */
    public static final RunMode CLOSED = new RunMode(ThrottleState.CLOSED, false);

    /** {@return what becomes of this mode if another is asked for} What is closed stays closed. */
    public RunMode then(RunMode next) {
        return state == ThrottleState.CLOSED ? this : next;
    }
}
