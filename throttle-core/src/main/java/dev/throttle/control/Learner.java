package dev.throttle.control;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;

/** Learns from what a server says. Only {@link #onSignal} has to be implemented. See {@link RateController}. */
public interface Learner {

    /**
     * Called when an attempt has ended.
     *
     * @param signal how it ended; every admitted request ends with exactly one signal. With
     *     {@link dev.throttle.signal.Outcome#IGNORED} the server did not count it, so its cost is available again
     * @param load the state of the throttle
     * @param nowNanos the time
     */
    void onSignal(Signal signal, Load load, long nowNanos);

    /**
     * Called with information about the server that does not end an attempt: a quota in the body of a response whose
     * attempt has already ended, or something that the program knows from elsewhere.
     *
     * @param signal the information; its outcome must not be counted as a response
     * @param load the state of the throttle; cost and time of admission are those of the request that the information
     *     is from, or {@link Cost#NONE} and the time of the call
     * @param nowNanos the time
     */
    default void onHeard(Signal signal, Load load, long nowNanos) {}

    /**
     * Called with the number of processes that share the server's quota for the key, if they are counted. It can be
     * called at any time and repeatedly. Controllers that guess the number should use it instead. The default does
     * nothing.
     *
     * @param processes how many processes are active now, including this one; 0 if they are no longer counted, so that
     *     the number is unknown
     * @param perSecond how many requests per second they send together at their current limits; NaN if unknown
     * @param nowNanos the time
     */
    default void onShared(int processes, double perSecond, long nowNanos) {}

    /**
     * Tells whether the limit adapts to refusals. If only limits that do not adapt hold back a refused request, the
     * backoff of the retry policy also applies to its retries, because a fixed limit would send it again and again.
     *
     * @return true by default
     */
    default boolean isAdaptive() {
        return true;
    }

    /**
     * {@return whether this controller itself makes a quota last until its reset} If so, the throttle does not wait for
     * the reset of a quota that is used up, which would be too late for a rolling quota. It still waits for a
     * {@code Retry-After}. The value must never change.
     */
    default boolean plansResets() {
        return false;
    }

    /**
     * {@return the cost of the next attempt of a refused call, as far as the refusal tells; unchanged by default}
     * Called right after {@link #onSignal} for the refusal.
     *
     * @param cost the cost taken for the refused attempt
     */
    default Cost costAfterRefusal(Cost cost) {
        return cost;
    }

    /**
     * {@return how long a refused call steps aside, in nanoseconds, so that other callers go first; 0 by default} It is
     * meant for a request that is larger than most and would hold up all callers behind it. Called right after
     * {@link #costAfterRefusal}.
     *
     * @param refusals how many attempts of this call the server has refused in a row, including this one
     */
    default long standAsideNanos(int refusals) {
        return 0;
    }

    /** The state of a throttle at the time of a signal. */
    interface Load {

        /**
         * {@return the cost of the ended request: the one passed to {@link RateLimit#onAdmitted}, or the settled one}
         */
        Cost cost();

        /**
         * {@return what identifies the ended request: the id passed to {@link RateLimit#onAdmitted}} It is 0 for a
         * request that the controller was not told of, and for those of a limit that several throttles share. The
         * default is the time of admission.
         */
        default long permitId() {
            return admittedAtNanos();
        }

        /** {@return when the ended request was admitted: the time passed to {@link RateLimit#onAdmitted}} */
        long admittedAtNanos();

        /** {@return the number of requests in flight, without the one that just ended} */
        int inFlight();

        /** {@return the number of requests admitted so far, including those admitted at rest} */
        long admitted();

        /** {@return the number of callers in the queue} */
        int waiting();

        /** {@return the number of requests admitted in the last second} */
        double requestsPerSecond();
    }
}
