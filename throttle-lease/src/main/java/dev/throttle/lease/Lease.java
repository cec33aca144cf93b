package dev.throttle.lease;

import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * Permits that a process may spend without asking the store again. They become due one after the other, and each
 * expires if it is not spent in time. A process that hangs or dies therefore loses no more than these. Times count from
 * the response of the store.
 *
 * @param permits how many, zero or more
 * @param first when the first is due, not negative; without permits, when to ask again
 * @param interval the time from each to the next, not negative
 * @param valid how long a permit can be spent once it is due, above zero
 * @param sharers how many processes share the limit now, including this one, at least 1
 * @param receipt what the store needs when permits are given back; empty if nothing
 */
public record Lease(long permits, Duration first, Duration interval, Duration valid, int sharers, String receipt) {

    /**
     * Checks the ranges.
     *
     * @param permits how many
     * @param first when the first is due
     * @param interval the time from each to the next
     * @param valid how long a permit can be spent
     * @param sharers how many processes share the limit
     * @param receipt what the store needs when permits are given back
     */
    public Lease {
        Preconditions.between("permits", permits, 0, Long.MAX_VALUE);
        Preconditions.notNegative("first", first);
        Preconditions.notNegative("interval", interval);
        Preconditions.positive("valid", valid);
        Preconditions.between("sharers", sharers, 1, Integer.MAX_VALUE);
        Preconditions.required("receipt", receipt);
    }

    /**
     * {@return a lease without permits}
     *
     * @param retry when to ask again
     * @param sharers how many processes share the limit
     */
    public static Lease none(Duration retry, int sharers) {
        return new Lease(0, retry, Duration.ZERO, Duration.ofNanos(1), sharers, "");
    }

    /**
     * {@return the last permits of this lease, due at the same times}
     *
     * @param count how many, not more than there are
     */
    public Lease last(long count) {
        Preconditions.between("count", count, 0, permits);
        Duration skipped = interval.multipliedBy(permits - count);
        return new Lease(count, first.plus(skipped), interval, valid, sharers, receipt);
    }
}
