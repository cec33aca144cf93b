package dev.throttle.control;

import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long each caller sleeps before its request. A sleep counts from the caller's own arrival, so callers of
 * one throttle sleep side by side.
 *
 * <p>Sleeps are seconds in floating point, as the published algorithms keep them: nanoseconds would add a rounding
 * error at every step, and cannot hold what an unbounded multiplication reaches. The throttle rounds to nanoseconds
 * when it waits.
 *
 * <p>The throttle draws the jitter: a caller told to sleep s waits between s and s * (1 + {@link #jitter()}).
 */
public interface SleepController extends Controller {

    /** {@return the strategy's sleep in seconds, as gauges show it; finite, not negative, without jitter} */
    double sleepSeconds();

    /** {@return the sleep before the first attempt of the next call, in seconds; {@link #sleepSeconds()} by default} */
    default double firstSleepSeconds() {
        return sleepSeconds();
    }

    /** {@return the largest share of a sleep that may be added to it at random, from 0 to 1} */
    default double jitter() {
        return 0;
    }

    /**
     * Begins in a throttle that is at work already, as its settings change. It comes once at most, before anything
     * else, and not to the controllers that a throttle is made with.
     *
     * @param before the controller in whose place this one comes, which is not used any more; null if there is none
     * @param nowNanos the time
     */
    default void takeOver(@Nullable SleepController before, long nowNanos) {}

    /**
     * Learns how an attempt ended.
     *
     * @param signal how it ended, never {@link dev.throttle.signal.Outcome#CANCELLED cancelled} or
     *     {@link dev.throttle.signal.Outcome#IGNORED ignored}
     * @param refusals how many attempts of this call the server has refused in a row, this one included; 0 if it was
     *     not refused
     * @param nowNanos the time
     * @return after a refusal: how long this very call sleeps before it tries again, in seconds, not negative, without
     *     jitter; otherwise not used
     */
    double onSignal(Signal signal, int refusals, long nowNanos);

    /**
     * What is left of the sleep of a refused call in the light of what was learned since.
     *
     * @param decidedSeconds what {@link #onSignal} answered when the call was refused
     * @return the sleep in seconds from that refusal on, without jitter; the same by default
     */
    default double retrySleepSeconds(double decidedSeconds) {
        return decidedSeconds;
    }

    /**
     * {@return whether the sleep learns from refusals; true by default} See {@link RateController#isAdaptive()}. The
     * answer never changes.
     */
    default boolean isAdaptive() {
        return true;
    }

    @Override
    default boolean isIdle() {
        return firstSleepSeconds() == 0;
    }
}
