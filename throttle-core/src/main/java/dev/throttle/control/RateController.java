package dev.throttle.control;

import dev.throttle.signal.Signal;

/**
 * Decides when the next request may leave, whoever sends it: a rate limit, fixed or adaptive. It spaces the admissions
 * of all callers of the throttle.
 */
public interface RateController extends Controller {

    /** An answer of {@link #dueNanos}: not before the next signal, whenever that comes. */
    long UNTIL_SIGNAL = Long.MAX_VALUE;

    /**
     * When a request may leave. A query: it changes nothing.
     *
     * @param permitsAhead how many permits the callers before this one will take; 0 for the head of the queue, which is
     *     the only one ever admitted. For any other the answer is an estimate and must not be later than the truth
     * @param permits how many permits the request takes, at least 1
     * @param nowNanos the time
     * @return the time at which the request may leave, {@code nowNanos} or earlier for at once, or
     *     {@link #UNTIL_SIGNAL}
     */
    long dueNanos(long permitsAhead, int permits, long nowNanos);

    /**
     * {@return the most permits that a request may take so that this limit can ever let it go} A call that takes more
     * is refused when it is made. The answer never changes.
     */
    default int maxPermits() {
        return Integer.MAX_VALUE;
    }

    /**
     * {@return the longest wait for this limit that a newcomer accepts, in nanoseconds: who would have to wait longer
     * is turned away on arrival} A call that tries again is no newcomer. {@link Long#MAX_VALUE}, the default, leaves it
     * to the throttle's own bound. The answer never changes.
     */
    default long maxWaitNanos() {
        return Long.MAX_VALUE;
    }

    /**
     * Whether the limit learns from refusals. Where a refused request is held back only by limits that do not, its
     * retries are spaced by the backoff of the retry policy as well: a fixed limit would send it again and again.
     *
     * @return true unless the limit is a fixed one
     */
    default boolean isAdaptive() {
        return true;
    }

    /**
     * {@return whether this controller itself makes a quota last until its reset} Then the throttle does not stay away
     * until the reset of a quota that is used up, which for a rolling quota comes too late; it still waits for what a
     * {@code Retry-After} asks. The answer never changes.
     */
    default boolean plansResets() {
        return false;
    }

    /**
     * Learns that a request was let go.
     *
     * @param permits how many permits it took
     * @param nowNanos the time
     */
    void onAdmitted(int permits, long nowNanos);

    /**
     * Learns how an attempt ended.
     *
     * @param signal how it ended; every admitted request ends in exactly one signal. With
     *     {@link dev.throttle.signal.Outcome#IGNORED} the server never counted it, so its permits are free again
     * @param load what the throttle is doing
     * @param nowNanos the time
     */
    void onSignal(Signal signal, Load load, long nowNanos);

    /** {@return the rate limit in force in requests per second; positive infinity when there is none} */
    double limitPerSecond();

    /** What a throttle is doing at the moment of a signal. */
    interface Load {

        /** {@return the permits that the ended request took} */
        int permits();

        /** {@return when the ended request was let go: the time that {@link #onAdmitted} was told} */
        long admittedAtNanos();

        /** {@return requests on the wire, the one that just ended not included} */
        int inFlight();

        /** {@return all requests let go so far, those included that the controller did not hear of at rest} */
        long admitted();

        /** {@return callers in the queue} */
        int waiting();

        /** {@return requests let go in the last second, per second} */
        double requestsPerSecond();
    }
}
