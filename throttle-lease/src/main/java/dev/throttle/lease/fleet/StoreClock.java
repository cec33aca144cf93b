package dev.throttle.lease.fleet;

import dev.throttle.lease.Fleet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimates the store's clock: each answer with a time was made at some instant between the question and the answer.
 * The clock of the system is not used. Thread-safe.
 */
public final class StoreClock {

    /** Two clocks move apart by no more than this part of the time. */
    private static final long DRIFT = 10_000;

    /** After so many answers the best of them tells how far away the store is. */
    private static final int SETTLED_ANSWERS = 10;
    /** Of those that come closer together one counts: all of them may be slow for the same reason. */
    private static final long APART_NANOS = 100_000_000;
    /** Shorter steps are not told, in microseconds. */
    private static final long LEAST_STEP_TOLD = 100_000;

    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);

    private final String store;

    private volatile @Nullable Reading best;
    /** How many answers there were since the clock was known, or has jumped, and when the last one came. */
    private volatile int answers;

    private volatile long countedAt;

    /**
     * Makes the clock of a store.
     *
     * @param store what the log calls the store
     */
    public StoreClock(String store) {
        this.store = store;
    }

    /**
     * One answer: the store's clock was somewhere in a range when the process's was at an instant.
     *
     * @param micros the middle of the range
     * @param error half of its width
     */
    private record Reading(long at, long micros, long error) {

        long micros(long nanos) {
            return micros + (nanos - at) / 1000;
        }

        /** {@return how wrong it may be by then, in microseconds} */
        long error(long nanos) {
            return error + Math.abs(nanos - at) / 1000 / DRIFT;
        }

        long nanos(long instant) {
            return at + (instant - micros) * 1000;
        }
    }

    /** Reads an answer. */
    void read(long serverMicros, long askedAt, long answeredAt) {
        long error = Math.max(0, answeredAt - askedAt) / 2000 + 1;
        Reading latest = new Reading(askedAt + (answeredAt - askedAt) / 2, serverMicros, error);
        Reading before = best;
        if (before == null) {
            best = latest;
            answers = 1;
            countedAt = answeredAt;
            return;
        }
        long step = serverMicros - before.micros(latest.at);
        boolean hasJumped = Math.abs(step) > before.error(latest.at) + latest.error + 1000;
        if (hasJumped || latest.error <= before.error(latest.at)) {
            best = latest;
        }
        if (hasJumped || answeredAt - countedAt >= APART_NANOS) {
            answers = hasJumped ? 1 : Math.min(SETTLED_ANSWERS, answers + 1);
            countedAt = answeredAt;
        }
        if (hasJumped && Math.abs(step) >= LEAST_STEP_TOLD) {
            LOG.warn(
                    "the clock of {} was put {} by {} s{}",
                    store,
                    step > 0 ? "forward" : "back",
                    Math.abs(step) / 1e6,
                    step > 0 ? "; limits may grant as much more as they grant in this time, but no more than all" : "");
        }
    }

    boolean isKnown() {
        return best != null;
    }

    /** {@return the store's time at an instant of the process; 0 if nothing is known} */
    long micros(long nanos) {
        Reading current = best;
        return current == null ? 0 : current.micros(nanos);
    }

    /**
     * {@return whether there were so many answers that the best of them tells how far away the store is} The first ones
     * may be slow because the machine is busy.
     */
    boolean isSettled() {
        return answers == SETTLED_ANSWERS;
    }

    /** {@return how far apart the bounds of an instant of the store's are, in microseconds; 0 if nothing is known} */
    long widthMicros(long nanos) {
        Reading current = best;
        return current == null ? 0 : 2 * current.error(nanos);
    }

    /**
     * {@return the range in which an instant of the store's is, in the nanoseconds of the process} No wider than the
     * answer allows that told it, and narrower if a quicker one told the time before.
     *
     * @param micros the instant
     * @param told the time of the store when it was told
     */
    Range range(long micros, long told, long askedAt, long answeredAt) {
        read(told, askedAt, answeredAt);
        Reading current = best;
        long ahead = (micros - told) * 1000;
        long earliest = askedAt + ahead;
        long latest = answeredAt + ahead;
        if (current != null) {
            long middle = current.nanos(micros);
            long error = current.error(answeredAt) * 1000;
            earliest = middle - error - earliest > 0 ? middle - error : earliest;
            latest = middle + error - latest < 0 ? middle + error : latest;
        }
        return latest - earliest >= 0 ? new Range(earliest, latest) : new Range(askedAt + ahead, answeredAt + ahead);
    }

    /** The earliest and the latest instant at which something may be. */
    record Range(long earliest, long latest) {}
}
