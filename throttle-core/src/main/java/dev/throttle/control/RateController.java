package dev.throttle.control;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the next request of a throttle may be sent, for all callers together. Rate limits, fixed or adaptive,
 * are rate controllers.
 */
public interface RateController extends Controller {

    /** A result of {@link #dueNanos}: not before the next signal, whenever that arrives. */
    long UNTIL_SIGNAL = Long.MAX_VALUE;

    /**
     * {@return the unit that this limit counts, named as in {@link Quota#unit()}} A controller that counts several
     * units reads them from each cost and returns {@link Quota#REQUESTS}, the default. The value must never change.
     */
    default String unit() {
        return Quota.REQUESTS;
    }

    /**
     * Returns when a request may be sent. This method must not change any state.
     *
     * @param ahead the total cost of the callers before this one; {@link Cost#NONE} for the head of the queue. Only the
     *     head is ever admitted. For other callers the result is an estimate, which must not be too late
     * @param cost the cost of the request: at least one request, and the known or estimated amounts of other units. An
     *     estimate may exceed {@link #maxUnits()} and then counts as that
     * @param nowNanos the time
     * @return the time at which the request may be sent; {@code nowNanos} or earlier for at once; or
     *     {@link #UNTIL_SIGNAL}
     */
    long dueNanos(Cost ahead, Cost cost, long nowNanos);

    /**
     * Returns when a request may be sent that must leave a share of the limit to calls of a higher priority. The
     * default ignores the share. Limits that hold a stock, such as windows and token buckets, keep back that share of
     * it.
     *
     * @param ahead the total cost of the callers before this one
     * @param cost what the request takes
     * @param reserve the share to leave, from 0 to 0.9. If no other calls use it, the request must still be sent
     *     eventually
     * @param nowNanos the time
     * @return the time at which the request may be sent, as above
     */
    default long dueNanos(Cost ahead, Cost cost, double reserve, long nowNanos) {
        return dueNanos(ahead, cost, nowNanos);
    }

    /**
     * {@return the most of its {@linkplain #unit() unit} that this limit can ever grant to one request, at least 1}
     * Making a call with a higher known cost fails; an estimate is reduced to this. The value must never change.
     */
    default long maxUnits() {
        return Long.MAX_VALUE;
    }

    /**
     * {@return the longest wait for this limit in nanoseconds; a new caller that would have to wait longer is rejected
     * on arrival} It does not apply to retries. With {@link Long#MAX_VALUE}, the default, only the throttle's
     * {@code maxWait} applies. The value must never change.
     */
    default long maxWaitNanos() {
        return Long.MAX_VALUE;
    }

    /**
     * Tells whether the limit adapts to refusals. If only limits that do not adapt hold back a refused request, the
     * backoff of the retry policy also applies to its retries, because a fixed limit would send it again and again.
     *
     * @return true unless the limit is fixed
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
     * Takes the place of another controller when the settings of a running throttle change. It is called at most once,
     * before any other method, and never for the first controllers of a throttle. A fixed limit must keep what was
     * counted. Requests in flight will end in this controller, although {@link #onAdmitted} was not called for them.
     *
     * @param before the controller that this one replaces, which is no longer used; it has the same unit, and belongs
     *     to a strategy of the same name if there was one; null if there is none
     * @param load the state of the throttle; cost and time of admission are {@link Cost#NONE} and the time of the call
     * @param nowNanos the time
     */
    default void takeOver(@Nullable RateController before, Load load, long nowNanos) {}

    /**
     * Tells whether this controller can be dropped while the throttle is not in use, because a new one would not allow
     * more requests. The default checks whether it would allow its maximum at once.
     *
     * @param nowNanos the time
     * @return true if dropping it loses only what was learned
     */
    default boolean isForgettable(long nowNanos) {
        long most = maxUnits() == Long.MAX_VALUE ? 1 : Math.min(maxUnits(), Cost.MAX_AMOUNT);
        long due = dueNanos(Cost.NONE, Cost.of(unit(), most), nowNanos);
        return due != UNTIL_SIGNAL && due - nowNanos <= 0;
    }

    /**
     * Called when a request is admitted.
     *
     * @param cost the cost that was passed to {@link #dueNanos}
     * @param nowNanos the time
     */
    void onAdmitted(Cost cost, long nowNanos);

    /**
     * Called when the actual cost of an admitted request is known. If it is higher than the cost taken, the difference
     * is owed from now on; if it is lower, the difference is available again. It is called at most once per request,
     * before {@link #onSignal} or long after it, for example at the end of a stream.
     *
     * @param admitted the cost passed to {@link #onAdmitted}; {@link Cost#NONE} if the request was admitted at rest, so
     *     that {@link #onAdmitted} was not called
     * @param actual the actual cost in each unit that it names. The number of requests must be ignored
     * @param admittedAtNanos when the request was admitted
     * @param nowNanos the time
     */
    default void onSettled(Cost admitted, Cost actual, long admittedAtNanos, long nowNanos) {}

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
     * Called when an attempt has ended.
     *
     * @param signal how it ended; every admitted request ends with exactly one signal. With
     *     {@link dev.throttle.signal.Outcome#IGNORED} the server did not count it, so its cost is available again
     * @param load the state of the throttle
     * @param nowNanos the time
     */
    void onSignal(Signal signal, Load load, long nowNanos);

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

    /** {@return the current rate limit in requests per second; positive infinity if there is none} */
    double limitPerSecond();

    /**
     * {@return how many requests may be in flight at a time; {@link Integer#MAX_VALUE}, the default, if there is no
     * such limit}
     */
    default int limitInFlight() {
        return Integer.MAX_VALUE;
    }

    /** The state of a throttle at the time of a signal. */
    interface Load {

        /** {@return the cost of the ended request: the one passed to {@link #onAdmitted}, or the settled one} */
        Cost cost();

        /** {@return when the ended request was admitted: the time passed to {@link #onAdmitted}} */
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
