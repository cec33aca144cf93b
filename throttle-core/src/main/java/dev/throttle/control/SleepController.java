package dev.throttle.control;

import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long each caller sleeps before its request. A sleep starts when the caller arrives, so callers of one
 * throttle sleep at the same time.
 *
 * <p>Sleeps are in seconds, as {@code double}, like those of the published algorithms. Whole nanoseconds would add a
 * rounding error at every step and could overflow. The throttle rounds to nanoseconds when it waits.
 *
 * <p>The throttle adds the jitter: instead of s, a caller waits between s and s * (1 + {@link #jitter()}).
 */
public interface SleepController extends Controller {

    /** {@return the current sleep in seconds, as gauges show it; finite, not negative, without jitter} */
    double sleepSeconds();

    /** {@return the sleep before the first attempt of the next call, in seconds; {@link #sleepSeconds()} by default} */
    default double firstSleepSeconds() {
        return sleepSeconds();
    }

    /** {@return the most that may be added to a sleep at random, as a share of it, from 0 to 1} */
    default double jitter() {
        return 0;
    }

    /**
     * Takes the place of another controller when the settings of a running throttle change. It is called at most once,
     * before any other method, and never for the first controllers of a throttle.
     *
     * @param before the controller that this one replaces, which is no longer used; null if there is none
     * @param nowNanos the time
     */
    default void takeOver(@Nullable SleepController before, long nowNanos) {}

    /**
     * Called when an attempt has ended.
     *
     * @param signal how it ended, never {@link dev.throttle.signal.Outcome#CANCELLED cancelled} or
     *     {@link dev.throttle.signal.Outcome#IGNORED ignored}
     * @param refusals how many attempts of this call the server has refused in a row, including this one; 0 if it was
     *     not refused
     * @param nowNanos the time
     * @return after a refusal, how long this call sleeps before it tries again, in seconds, not negative, without
     *     jitter; otherwise the value is not used
     */
    double onSignal(Signal signal, int refusals, long nowNanos);

    /**
     * Adjusts the sleep of a refused call to what was learned since the refusal.
     *
     * @param decidedSeconds what {@link #onSignal} returned when the call was refused
     * @return the sleep in seconds since that refusal, without jitter; unchanged by default
     */
    default double retrySleepSeconds(double decidedSeconds) {
        return decidedSeconds;
    }

    /**
     * {@return whether the sleep adapts to refusals; true by default} See {@link RateController#isAdaptive()}. The
     * value must never change.
     */
    default boolean isAdaptive() {
        return true;
    }

    @Override
    default boolean isIdle() {
        return firstSleepSeconds() == 0;
    }
}
