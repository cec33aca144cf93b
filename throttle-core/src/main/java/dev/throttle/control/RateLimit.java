package dev.throttle.control;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import org.jspecify.annotations.Nullable;

/**
 * A limit on the requests of a throttle, for all callers together. It says when a request may be sent, and is told what
 * was sent. A class that implements only this interface is a fixed limit: it does not learn from responses. A
 * {@link RateController} does.
 *
 * <p>A limit has to implement {@link #dueNanos} and {@link #onAdmitted}, and {@link #onReleased} if requests that were
 * not sent do not count. Everything else has a default.
 */
public interface RateLimit extends Controller {

    /** A result of {@link #dueNanos}: not before the next signal, whenever that arrives. */
    long UNTIL_SIGNAL = Long.MAX_VALUE;

    /**
     * Returns when a request may be sent. It must not change any state, since it is also called for estimates and
     * gauges.
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
     * Called when a request is admitted.
     *
     * @param cost the cost that was passed to {@link #dueNanos}
     * @param permitId identifies the request, as several may be admitted at one instant; most limits need not know. See
     *     {@link Load#permitId()}
     * @param nowNanos the time
     */
    void onAdmitted(Cost cost, long permitId, long nowNanos);

    /**
     * Called when an admitted request turns out not to have been counted by the server, for example because it was
     * never sent. Its cost is available again. The default does nothing.
     *
     * @param cost the cost of the request: the one passed to {@link #onAdmitted}, or the settled one
     * @param admittedAtNanos when the request was admitted
     * @param nowNanos the time
     */
    default void onReleased(Cost cost, long admittedAtNanos, long nowNanos) {}

    /**
     * Called when the actual cost of an admitted request is known. If it is higher than the cost taken, the difference
     * is owed from now on; if it is lower, the difference is available again. It is called at most once per request,
     * before the attempt ends or long after it, for example at the end of a stream.
     *
     * @param admitted the cost passed to {@link #onAdmitted}; {@link Cost#NONE} if the request was admitted at rest, so
     *     that {@link #onAdmitted} was not called
     * @param actual the actual cost in each unit that it names. The number of requests must be ignored
     * @param permitId identifies the request; see {@link Load#permitId()}
     * @param admittedAtNanos when the request was admitted
     * @param nowNanos the time
     */
    default void onSettled(Cost admitted, Cost actual, long permitId, long admittedAtNanos, long nowNanos) {}

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
     * Called when a request wants to be admitted, before {@link #dueNanos} is asked for it, and again while it waits. A
     * limit that gets its permits from elsewhere asks for them here. It must not do so in {@link #dueNanos}, which is
     * also called for estimates and gauges, when there is no request. The default does nothing.
     *
     * @param ahead the total cost of the callers before this one
     * @param cost the cost of the request
     * @param nowNanos the time
     */
    default void prefetch(Cost ahead, Cost cost, long nowNanos) {}

    /**
     * {@return the unit that this limit counts, named as in {@link Quota#unit()}} A controller that counts several
     * units reads them from each cost and returns {@link Quota#REQUESTS}, the default. The value must never change.
     */
    default String unit() {
        return Quota.REQUESTS;
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

    /** {@return the current rate limit in requests per second; positive infinity, the default, if there is none} */
    default double limitPerSecond() {
        return Double.POSITIVE_INFINITY;
    }

    /**
     * {@return the rate limit at a time that is not before the last call of this limit} The default returns
     * {@link #limitPerSecond()}. Limits that change with time alone override it. This method must not change any state.
     *
     * @param nowNanos the time
     */
    default double limitPerSecond(long nowNanos) {
        return limitPerSecond();
    }

    /**
     * {@return how many requests may be in flight at a time; {@link Integer#MAX_VALUE}, the default, if there is no
     * such limit}
     */
    default int limitInFlight() {
        return Integer.MAX_VALUE;
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
    default void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {}

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

    /** {@return whether the limit is at rest; false by default} A fixed limit counts every request, so it never is. */
    @Override
    default boolean isIdle() {
        return false;
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

        /** {@return which quotas count the ended request; all by default} */
        default Scope scope() {
            return Scope.ALL;
        }

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
