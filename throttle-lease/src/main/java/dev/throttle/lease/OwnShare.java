package dev.throttle.lease;

/**
 * The share of a limit that a process spends by itself while the store does not answer. It replaces leases, and never
 * adds to them: it begins some time after the last answer, continues in the time slots of the last lease, and is void
 * with the next lease. What was spent of it is reported to the store before the next question. Not thread-safe.
 */
final class OwnShare {

    private static final long RETRY_CLOSED_NANOS = 250_000_000L;
    /** The share begins after this time without an answer, since one late answer is no outage. */
    private static final long GRACE_NANOS = 2_000_000_000L;
    /** A question fails within this time, unless the process itself was suspended. */
    private static final long LONGEST_QUESTION_NANOS = 1_000_000_000L;
    /** Permits that are due later than this are not promised to a caller; the store is asked again. */
    static final long LONGEST_AHEAD_NANOS = 600_000_000_000L;

    private final LeaseTerms terms;
    private boolean failing;
    private long failingSince;
    /** When the last permit is due, of a lease or of the share. */
    private long lastDue;

    OwnShare(LeaseTerms terms, long now) {
        this.terms = terms;
        this.lastDue = now;
    }

    /** Ends the share, because the store has answered. Its permits that are not due yet are void. */
    void end(long now) {
        failing = false;
        lastDue = lastDue - now > 0 ? now : lastDue;
    }

    /** Notes when a permit of a lease is due. */
    void follows(long due) {
        lastDue = due - lastDue > 0 ? due : lastDue;
    }

    /**
     * Called when the store did not answer. {@return for how long the store is not asked and no permit of the share is
     * spent; 0 if the share begins}
     */
    long pauseNanos(boolean isClosed, long askedAt, long now) {
        if (!failing) {
            failing = true;
            failingSince = now - askedAt > LONGEST_QUESTION_NANOS ? now : askedAt;
        }
        boolean isEarly = !isClosed && now - failingSince < GRACE_NANOS;
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
        PermitRun run = PermitRun.own(permits, from + (isOne ? all : interval), isOne ? 0 : interval, terms);
        lastDue = run.lastDue();
        return run;
    }
}
