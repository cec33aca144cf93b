package dev.throttle.engine;

import dev.throttle.internal.Nanos;

/**
 * A wait, and what it is for.
 *
 * @param nanos how long from now; 0 for none, {@link #UNTIL_SIGNAL} if only a signal can tell
 * @param reason what it is for; empty for none
 */
record Wait(long nanos, String reason) {

    static final long UNTIL_SIGNAL = Long.MAX_VALUE;

    static final Wait NONE = new Wait(0, "");

    /** {@return a wait; {@link #NONE} if it is over} */
    static Wait of(long nanos, String reason) {
        return nanos > 0 ? new Wait(nanos, reason) : NONE;
    }

    /** {@return the wait until an instant; {@link #NONE} if it is over} */
    static Wait until(long due, String reason, long now) {
        return of(due == UNTIL_SIGNAL ? UNTIL_SIGNAL : Math.min(due - now, Nanos.MAX), reason);
    }

    boolean isOver() {
        return nanos <= 0;
    }

    boolean isUntilSignal() {
        return nanos == UNTIL_SIGNAL;
    }

    /** {@return the wait as far as it is known, small enough to be added to a time} */
    long knownNanos() {
        return isUntilSignal() ? 0 : Math.min(nanos, Nanos.MAX);
    }

    /** {@return the same wait for another reason} */
    Wait because(String why) {
        return why.equals(reason) ? this : new Wait(nanos, why);
    }

    Wait longer(Wait other) {
        return other.nanos > nanos ? other : this;
    }
}
