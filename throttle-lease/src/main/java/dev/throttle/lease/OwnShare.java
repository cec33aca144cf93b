package dev.throttle.lease;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * The share of a limit that a process spends by itself while the store does not answer. It replaces leases, and never
 * adds to them: it begins some time after the last answer, continues in the time slots of the last lease, and is void
 * with the next lease. What was spent of it is reported to the store before the next question. Not thread-safe.
 */
final class OwnShare {

    private static final long RETRY_CLOSED_NANOS = 250_000_000L;
    /**
     * The share begins after this time without an answer, since one late answer is no outage. Callers wait no longer
     * for the store, unless answers usually take so long.
     */
    private static final long SHORTEST_GRACE_NANOS = 300_000_000L;

    private static final long LONGEST_GRACE_NANOS = 500_000_000L;
    /** A question fails within this time, unless the process itself was suspended. */
    private static final long LONGEST_QUESTION_NANOS = 1_000_000_000L;
    /** Permits that are due later than this are not promised to a caller; the store is asked again. */
    static final long LONGEST_AHEAD_NANOS = 600_000_000_000L;
    /** What was spent of a window within such a part of it is counted together. */
    private static final int PARTS = 50;

    private final LeaseTerms terms;
    private boolean failing;
    private long failingSince;
    /** When the last permit is due, of a lease or of the share. */
    private long lastDue;
    /** How long a permit of the share is good: as long as one of the last lease. */
    private long validNanos;
    /** What this process spent of a window, with or without a lease, the oldest first. */
    private final ArrayDeque<Spending> spent = new ArrayDeque<>();

    private record Spending(long since, long until, long units) {}

    OwnShare(LeaseTerms terms, long now) {
        this.terms = terms;
        this.lastDue = now;
        this.validNanos = terms.validNanos();
    }

    /** {@return how long the store may be silent before the share begins, if few answers take longer than a time} */
    static long graceNanos(long slowNanos) {
        return Math.max(SHORTEST_GRACE_NANOS, Math.min(2 * slowNanos, LONGEST_GRACE_NANOS));
    }

    /** {@return how long a permit can be spent that the process has without a lease} */
    long validNanos() {
        return validNanos;
    }

    /** Ends the share, because the store has answered. Its permits that are not due yet are void. */
    void end(long now) {
        failing = false;
        lastDue = lastDue - now > 0 ? now : lastDue;
    }

    /** Notes when the last permit of a lease is due, and how long each is good. */
    void follows(long due, long valid) {
        lastDue = due - lastDue > 0 ? due : lastDue;
        validNanos = Math.min(valid, terms.validNanos());
    }

    /** Notes what was spent, of a lease or of the share: for as long as the window is, it counts. */
    void spent(long units, long now) {
        if (terms.windowNanos() == 0) {
            return;
        }
        Spending last = spent.peekLast();
        if (last != null && now - last.since < terms.windowNanos() / PARTS) {
            spent.removeLast();
            spent.addLast(new Spending(last.since, now, last.units + units));
        } else {
            spent.addLast(new Spending(now, now, units));
        }
        while (now - spent.element().until > terms.windowNanos()) {
            spent.removeFirst();
        }
    }

    /**
     * Called when the store did not answer. {@return for how long the store is not asked and no permit of the share is
     * spent; 0 if the share begins}
     *
     * @param slowNanos the time that few answers exceed
     */
    long pauseNanos(boolean isClosed, long askedAt, long slowNanos, long now) {
        if (!failing) {
            failing = true;
            failingSince = now - askedAt > LONGEST_QUESTION_NANOS ? now : askedAt;
        }
        boolean isEarly = !isClosed && now - failingSince < graceNanos(slowNanos);
        return isEarly ? terms.periodNanos() / 2 : terms.whenAway() == WhenAway.CLOSED ? RETRY_CLOSED_NANOS : 0;
    }

    /** {@return permits of the share, for as long as a lease would be} */
    PermitRun next(int sharers, long least, long wanted, long now) {
        long interval = terms.shareIntervalNanos(sharers);
        long permits = Math.max(least, Math.min(wanted, terms.periodNanos() / interval));
        long late = now - lastDue;
        long from = late > 0 ? now - late % interval : lastDue; // in its slots: those of the others are between
        boolean isOne = least > 1; // of use as a whole only: not before all of it has dripped in
        long all = (long) Math.min((double) permits * (double) interval, (double) LONGEST_AHEAD_NANOS);
        long first = from + (isOne ? all : interval);
        long free = freeAt(Math.max(permits, terms.windowNanos() / interval), permits, now);
        first = free - first > 0 ? free : first;
        PermitRun run = PermitRun.own(permits, first, isOne ? 0 : interval, validNanos);
        lastDue = run.lastDue();
        return run;
    }

    /** {@return from when on so much can be spent of a window, if the process may have so much of it in all} */
    private long freeAt(long mine, long permits, long now) {
        long left = mine - permits;
        for (Iterator<Spending> latest = spent.descendingIterator(); latest.hasNext(); ) {
            Spending spending = latest.next();
            left -= spending.units;
            if (left < 0) {
                return spending.until + terms.windowNanos() + 1;
            }
        }
        return now;
    }
}
