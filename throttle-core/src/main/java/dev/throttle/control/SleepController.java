package dev.throttle.control;

import dev.throttle.signal.Signal;

/**
 * Decides how long each caller sleeps before its request. A sleep counts from the caller's own arrival, so callers of
 * one throttle sleep side by side.
 *
 * <p>The throttle draws the jitter: a caller told to sleep s waits between s and s * (1 + {@link #jitter()}).
 */
public non-sealed interface SleepController extends Controller {

    /** {@return the sleep before the next request in nanoseconds, not negative, without jitter} */
    long sleepNanos();

    /** {@return the largest share of a sleep that may be added to it at random, from 0 to 1} */
    default double jitter() {
        return 0;
    }

    /**
     * Learns how an attempt ended.
     *
     * @param signal how it ended, never {@link dev.throttle.signal.Outcome#CANCELLED cancelled} or
     *     {@link dev.throttle.signal.Outcome#IGNORED ignored}
     * @param refusals how many attempts of this call the server has refused in a row, this one included; 0 if it was
     *     not refused
     * @param nowNanos the time
     * @return after a refusal: how long this very call sleeps before it tries again, in nanoseconds, not negative,
     *     without jitter; otherwise not used
     */
    long onSignal(Signal signal, int refusals, long nowNanos);

    /**
     * What is left of the sleep of a refused call in the light of what was learned since.
     *
     * @param decidedNanos what {@link #onSignal} answered when the call was refused
     * @return the sleep in nanoseconds from that refusal on, without jitter; the same by default
     */
    default long retrySleepNanos(long decidedNanos) {
        return decidedNanos;
    }

    @Override
    default boolean isIdle() {
        return sleepNanos() == 0;
    }
}
