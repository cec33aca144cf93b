package dev.throttle.control;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the next request may leave, whoever sends it: a rate limit, fixed or adaptive. It spaces the admissions
 * of all callers of the throttle.
 */
public interface RateController extends Controller {

    /** An answer of {@link #dueNanos}: not before the next signal, whenever that comes. */
    long UNTIL_SIGNAL = Long.MAX_VALUE;

    /**
     * {@return the unit that this limit counts, named as in {@link Quota#unit()}} A controller that counts several
     * reads them from each cost, and answers with {@link Quota#REQUESTS}, the default. The answer never changes.
     */
    default String unit() {
        return Quota.REQUESTS;
    }

    /**
     * When a request may leave. A query: it changes nothing.
     *
     * @param ahead what the callers before this one will take together; {@link Cost#NONE} for the head of the queue,
     *     which is the only one ever admitted. For any other the answer is an estimate and must not be later than the
     *     truth
     * @param cost what the request takes: at least one request, and of other units what is known or estimated. It may
     *     exceed {@link #maxUnits()} if it is an estimate, and then counts as that
     * @param nowNanos the time
     * @return the time at which the request may leave, {@code nowNanos} or earlier for at once, or
     *     {@link #UNTIL_SIGNAL}
     */
    long dueNanos(Cost ahead, Cost cost, long nowNanos);

    /**
     * When a request may leave that is to leave a share of the limit to calls of a higher class. The default answers as
     * without; a limit with a stock, such as a window or a bucket of tokens, keeps that share of it back.
     *
     * @param ahead what the callers before this one will take together
     * @param cost what the request takes
     * @param reserve the share that it leaves, from 0 to 0.9. It is for others only: as nothing is taken by others, the
     *     request must get its turn in the end
     * @param nowNanos the time
     * @return the time at which the request may leave, as above
     */
    default long dueNanos(Cost ahead, Cost cost, double reserve, long nowNanos) {
        return dueNanos(ahead, cost, nowNanos);
    }

    /**
     * {@return the most of its {@linkplain #unit() unit} that a request may take so that this limit can ever let it go,
     * at least 1} A call that says to take more is refused when it is made; an estimate is cut to it. The answer never
     * changes.
     */
    default long maxUnits() {
        return Long.MAX_VALUE;
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
     * Begins in a throttle that is at work already, as its settings change. It comes once at most, before anything
     * else, and not to the controllers that a throttle is made with. What a fixed limit has counted is to go on
     * counting: requests that are on the wire end here, though {@link #onAdmitted} was told of none of them.
     *
     * @param before the controller in whose place this one comes, which is not used any more: of the same unit, and of
     *     a strategy of the same name if there was one; null if there is none
     * @param load what the throttle is doing; cost and time of admission are {@link Cost#NONE} and the time of the call
     * @param nowNanos the time
     */
    default void takeOver(@Nullable RateController before, Load load, long nowNanos) {}

    /**
     * Whether it can be forgotten while nobody uses the throttle: a new controller would let go no more than this one.
     * The default looks whether it would let go at once as much as it ever does.
     *
     * @param nowNanos the time
     * @return true if nothing is lost but what was learned
     */
    default boolean isForgettable(long nowNanos) {
        long most = maxUnits() == Long.MAX_VALUE ? 1 : Math.min(maxUnits(), Cost.MAX_AMOUNT);
        long due = dueNanos(Cost.NONE, Cost.of(unit(), most), nowNanos);
        return due != UNTIL_SIGNAL && due - nowNanos <= 0;
    }

    /**
     * Learns that a request was let go.
     *
     * @param cost what it took: the cost that {@link #dueNanos} was asked for
     * @param nowNanos the time
     */
    void onAdmitted(Cost cost, long nowNanos);

    /**
     * Learns what an admitted request truly took. Where it took more the rest is owed from now on; where it took less
     * the rest is free again. It comes once at most for a request, before {@link #onSignal} or long after it, as when
     * the truth is at the end of a stream.
     *
     * @param admitted what {@link #onAdmitted} was told; {@link Cost#NONE} if the request was let go at rest, so that
     *     this controller did not hear of it
     * @param actual what the request took of each unit that it names. Requests are known beforehand, and are not
     *     settled: their amount is to be ignored
     * @param admittedAtNanos when the request was let go
     * @param nowNanos the time
     */
    default void onSettled(Cost admitted, Cost actual, long admittedAtNanos, long nowNanos) {}

    /**
     * Learns something about the server that is not the end of an attempt: a quota in the body of an answer whose head
     * has ended the attempt, or something that the program knows from elsewhere.
     *
     * @param signal what was learned; its outcome is not to be counted as an answer
     * @param load what the throttle is doing; cost and time of admission are those of the request that it was learned
     *     from, or {@link Cost#NONE} and the time of the call
     * @param nowNanos the time
     */
    default void onHeard(Signal signal, Load load, long nowNanos) {}

    /**
     * Learns how many processes share what the server grants for the key, where something counts them. It may come at
     * any time and again and again. Who guesses how many there are need not any more; by default nothing happens.
     *
     * @param processes how many have something to do at the moment, this one included; 0 if nobody counts them any
     *     more, so that those who were there may be there still
     * @param perSecond how many requests per second all of them together send at their present limits, as they see it;
     *     NaN if they do not know
     * @param nowNanos the time
     */
    default void onShared(int processes, double perSecond, long nowNanos) {}

    /**
     * Learns how an attempt ended.
     *
     * @param signal how it ended; every admitted request ends in exactly one signal. With
     *     {@link dev.throttle.signal.Outcome#IGNORED} the server never counted it, so what it took is free again
     * @param load what the throttle is doing
     * @param nowNanos the time
     */
    void onSignal(Signal signal, Load load, long nowNanos);

    /**
     * {@return what the next attempt of a refused call takes, as far as the refusal has told; by default what it was
     * taken for} Asked right after {@link #onSignal} has heard of the refusal.
     *
     * @param cost what the refused attempt was taken for
     */
    default Cost costAfterRefusal(Cost cost) {
        return cost;
    }

    /**
     * {@return how long a refused call stands aside, in nanoseconds, so that other callers of the throttle go before
     * it; 0 by default} Meant for a request that is larger than most, and would hold up all behind it. Asked right
     * after {@link #costAfterRefusal}.
     *
     * @param refusals how many attempts of this call the server has refused in a row, this one included
     */
    default long standAsideNanos(int refusals) {
        return 0;
    }

    /** {@return the rate limit in force in requests per second; positive infinity when there is none} */
    double limitPerSecond();

    /**
     * {@return how many requests may be on the wire at a time; {@link Integer#MAX_VALUE}, the default, when there is no
     * such limit}
     */
    default int limitInFlight() {
        return Integer.MAX_VALUE;
    }

    /** What a throttle is doing at the moment of a signal. */
    interface Load {

        /** {@return what the ended request took: what {@link #onAdmitted} was told, put right where it was settled} */
        Cost cost();

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
