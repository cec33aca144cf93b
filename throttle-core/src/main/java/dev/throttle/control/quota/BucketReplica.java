package dev.throttle.control.quota;

import dev.throttle.control.RateController;
import dev.throttle.internal.Nanos;

/**
 * A copy of a rolling quota without other users: the remaining count and the answers since, added up, never fall.
 *
 * <pre>
 *   total  =  count + own accepted answers;   level(t)  =  total + refill * (t - t of total) - own accepted answers
 * </pre>
 *
 * <p>A request may go if {@code level - on the wire >= 2}: one stays, since counts are rounded down. The refill is the
 * growth of the total, with what was on the wire taken off. Answers overtake each other, so the least total of a flight
 * counts. If the total falls below what it was, or below what a steady refill should have added, another client uses
 * the quota.
 */
final class BucketReplica {

    /** A new estimate of the refill is begun after so many own answers. */
    private static final int SEGMENT = 32;
    /** Counts are rounded down, and answers overtake each other. */
    private static final int SLACK = 2;

    private final PacingSettings settings;
    private final Tuning tuning;

    private double reset;
    /** Own permits that were answered and not refused. */
    private double answered;
    /** Refill in permits per second, rather too low than too high. */
    private double rate;

    private double leastRate;

    private double total0;
    private long at0;
    private double total1;
    private long at1;
    private double answered1;

    /** What remained and was answered together, the least of this flight and of the one before, and when that was. */
    private double total;

    private long totalAt;
    private double before;
    private long beforeAt;
    /** When the present flight began: the requests that were let go between two looks. */
    private long flightAt;

    private double lowest;
    private double highest;

    /** The most that remained and was served together, for certain. */
    private double proven;

    /** What is expected to remain and to have been served together, once the refill has proved to be steady. */
    private double line;

    private long lineAt;
    private double lineRate;
    private double rateBefore;
    private double mostWire;
    private double wireBefore;
    /** Since when there has been too little for a request. */
    private boolean dry;

    private long dryAt;
    /** How long after the last request nothing remained for certain, the last time. */
    private double dryFor;
    /** How much later something was seen to remain again. */
    private double dryMore;

    private long readAt;
    private boolean low;
    private long lowAt;
    private double count;
    /** Whether it is a sliding window. */
    private final SlidingReplica sliding = new SlidingReplica();

    BucketReplica(PacingSettings settings, Tuning tuning) {
        this.settings = settings;
        this.tuning = tuning;
    }

    /**
     * Begins with a count.
     *
     * @param refill the least refill that is known for certain, in permits per second
     */
    void begin(double value, double refill, long now) {
        answered = 0;
        leastRate = refill;
        rate = refill;
        total0 = value;
        at0 = now;
        total1 = value;
        at1 = now;
        answered1 = 0;
        proven = 0;
        lineRate = 0;
        rateBefore = 0;
        mostWire = 0;
        dry = false;
        dryFor = 0;
        dryMore = 0;
        low = false;
        reset = Double.NaN;
        count = value;
        readAt = now;
        highest = value;
        sliding.begin(now);
        turn(value, now);
        before = total;
        beforeAt = now;
    }

    private void turn(double value, long now) {
        before = total;
        beforeAt = totalAt;
        total = value + answered;
        totalAt = now;
        lowest = Double.POSITIVE_INFINITY;
        flightAt = now;
        wireBefore = mostWire;
        mostWire = 0;
    }

    /** {@return whether no other client has been seen to use this quota} */
    boolean read(
            double value,
            double limit,
            double untilReset,
            boolean refused,
            int permits,
            long admittedAt,
            int wire,
            long now) {
        if (!refused) {
            answered += permits;
            sliding.served(permits, now);
        }
        count = value;
        reset = untilReset;
        mostWire = Math.max(wire + 1, mostWire);
        highest = Math.max(highest, value);
        lowest = Math.min(lowest, value);
        if (wire == 0 && mostWire > SLACK) { // all that were sent together are answered, so the lowest count is exact
            sliding.rest(lowest, limit, now);
        }
        if (wire == 0) {
            turn(lowest, now);
            before = total;
            beforeAt = now;
        } else if (admittedAt - flightAt >= 0) {
            turn(value, now);
        } else if (value + answered < total) {
            total = value + answered;
            totalAt = now;
        }
        double least = Math.min(total, before);
        double most = Math.max(mostWire, wireBefore);
        // Alone, what remains and was served never fall together, and rise steadily.
        boolean foreign = value + answered + wire < proven - SLACK; // those on the wire may have been counted
        double expected = line + lineRate * (now - lineAt) / 1e9;
        boolean others = sliding.read(value, limit, most, now);
        foreign |= others;
        foreign |= !sliding.isLikely()
                && lineRate > 0
                && least < Math.min(expected, highest + 1 + answered - most - permits) - most - SLACK;
        proven = Math.max(proven, least);
        estimate();
        if (level(now) - wire >= 2) {
            low = false;
        } else if (!low) {
            low = true;
            lowAt = now;
        }
        if (value >= 1) {
            if (dry) {
                dryFor = (readAt - dryAt) / 1e9;
                dryMore = (now - readAt) / 1e9;
            }
            dry = false;
        } else if (!dry) {
            dry = true;
            dryAt = now;
        }
        readAt = now;
        return !foreign;
    }

    private void estimate() {
        double level = total <= before ? total : before;
        long at = total <= before ? totalAt : beforeAt;
        double seconds = (at - at0) / 1e9;
        if (seconds > 0) {
            rate = Math.max(leastRate, (level - total0 - Math.max(mostWire, wireBefore)) / seconds);
        }
        if (answered - answered1 >= SEGMENT + 4 * Math.max(mostWire, wireBefore)) {
            total0 = total1;
            at0 = at1;
            total1 = level;
            at1 = at;
            answered1 = answered;
            boolean steady = Math.abs(rate - rateBefore) <= 0.25 * Math.max(rate, rateBefore)
                    && (dryFor + dryMore / 2 - tuning.firstProbe) * rate <= SLACK;
            line = level;
            lineAt = at;
            lineRate = steady ? Math.min(rate, rateBefore) : 0;
            rateBefore = rate;
        }
    }

    private double level(long now) {
        double first = total + rate * (now - totalAt) / 1e9;
        double second = before + rate * (now - beforeAt) / 1e9;
        return Math.min(Math.min(first, second) - answered, highest + 1);
    }

    /** {@return the interval that the refill allows once what was in stock is spent; 0 as long as it is not} */
    double spentInterval() {
        return !sliding.isKnown() && low && lineRate > 0 && highest >= tuning.headroom / tuning.targetShare
                ? 1 / lineRate
                : 0;
    }

    boolean isSliding() {
        return sliding.isKnown();
    }

    /** {@return whether that was to be expected} */
    boolean refused() {
        sliding.refused();
        return count < 1;
    }

    long dueNanos(long ahead, int permits, int wire, long now) {
        double need = permits + ahead;
        if (sliding.isKnown() && !dry) {
            return sliding.dueNanos(wire + need, now);
        }
        double level = level(now);
        if (!dry && level - wire >= need + 1) {
            return now;
        }
        if (wire > 0) {
            return RateController.UNTIL_SIGNAL;
        }
        double since = (now - readAt) / 1e9;
        double wait = rate > 0 ? since + (need + 1 - level) / rate : tuning.firstProbe;
        if (dry) {
            double lasted = (readAt - dryAt) / 1e9;
            double step = tuning.probeShare * (lasted < dryFor + dryMore ? dryMore : lasted);
            double next = lasted < dryFor ? dryFor - lasted : step;
            wait = reset > 0 ? reset : Math.max(Math.max(wait, tuning.firstProbe), next);
        } else if (low) {
            double lasted = (readAt - lowAt) / 1e9;
            wait = Math.min(wait, Math.max(tuning.firstProbe, reset > 0 ? reset : tuning.probeShare * lasted));
        }
        long due = readAt + Nanos.ofSeconds(Math.min(wait, settings.maxInterval()));
        return due - now > 0 ? due : now;
    }
}
