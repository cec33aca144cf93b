package dev.throttle.lease;

import dev.throttle.internal.Nanos;
import org.jspecify.annotations.Nullable;

/**
 * Permits at hand that came together, on the clock of the process. The store answered at some instant between the
 * question and the answer: a permit is due no earlier than the store meant, and lapses no later.
 */
final class PermitRun {

    /** What it came with; null if it came without one. */
    private final @Nullable Lease lease;

    /** Whether it is of the process's own share. */
    private final boolean isOwn;

    private final long intervalNanos;
    private long count;
    /** When the first of those left is due. */
    private long due;
    /** When the first of those left lapses. */
    private long lapses;

    PermitRun(Lease lease, long askedAt, long answeredAt) {
        long first = Nanos.of(lease.first());
        this.lease = lease;
        this.isOwn = false;
        this.intervalNanos = Nanos.of(lease.interval());
        this.count = lease.permits();
        this.due = answeredAt + first;
        this.lapses = askedAt + Nanos.plus(first, Nanos.of(lease.valid()));
    }

    private PermitRun(long count, long due, long intervalNanos, long validNanos, boolean isOwn) {
        this.lease = null;
        this.isOwn = isOwn;
        this.intervalNanos = intervalNanos;
        this.count = count;
        this.due = due;
        this.lapses = due + validNanos;
    }

    /** {@return permits of the process's own share} */
    static PermitRun own(long count, long due, long intervalNanos, long validNanos) {
        return new PermitRun(count, due, intervalNanos, validNanos, true);
    }

    /** {@return permits that were taken before, and come back} */
    static PermitRun back(long count, long due, long validNanos) {
        return new PermitRun(count, due, 0, validNanos, false);
    }

    boolean isOwn() {
        return isOwn;
    }

    long count() {
        return count;
    }

    long lastDue() {
        return dueOf(count);
    }

    /** {@return when so many of them are due; at least one, and not more than there are} */
    long dueOf(long units) {
        return due + (units - 1) * intervalNanos;
    }

    /** {@return how many are due} */
    long dueBy(long now) {
        long late = now - due;
        return late < 0 ? 0 : intervalNanos == 0 ? count : Math.min(count, late / intervalNanos + 1);
    }

    /** {@return when the first of those left lapses} */
    long lapsesAt() {
        return lapses;
    }

    /** Forgets what has lapsed; {@return what of that the store may count again, null if nothing} */
    @Nullable Lease lapse(long now) {
        long late = now - lapses;
        if (late <= 0 || count == 0) {
            return null;
        }
        if (intervalNanos > 0) { // the store made room for the next ones as time went by
            drop(Math.min(count, (late - 1) / intervalNanos + 1));
            return null;
        }
        Lease all = rest();
        drop(count);
        return all;
    }

    /** Takes the first of them. */
    void drop(long units) {
        count -= units;
        due += units * intervalNanos;
        lapses += units * intervalNanos;
    }

    /** Takes back the last of those that were dropped. */
    void undrop(long units) {
        drop(-units);
    }

    /** {@return what is left, as the store knows it; null if there is nothing that it knows} */
    @Nullable Lease rest() {
        return lease == null || count == 0 ? null : lease.last(count);
    }
}
