package dev.throttle.control.quota;

import dev.throttle.control.quota.CostLedger.Entry;
import dev.throttle.internal.Nanos;

/**
 * What is left of a bucket when a request arrives, and when it is settled. It is worked out from the last count: what
 * comes back is lost as soon as the bucket is full, and each own request takes its part when it arrives or when it
 * ends, as {@link Booking} has found out.
 */
final class UnitLevel {

    /** What is left at least when a request arrives whose cost is booked later, as a share of the limit. */
    private static final double SPARE = 0.05;
    /** An answer that takes so many times as long as others will not be settled any more. */
    private static final int LOST = 3;

    private final CostLedger ledger;
    private final CostModel costs;
    private final Booking booking;
    private final UnitRefill refill;

    private double limit;
    /** How long requests are on their way. */
    private long way;

    /** When the last count was told. */
    private long told;

    private double left;
    private long time;
    /** What is booked at arrival for each estimated unit, and for a request without an estimate. */
    private double ratio;

    private double each;

    UnitLevel(CostLedger ledger, CostModel costs, Booking booking, UnitRefill refill) {
        this.ledger = ledger;
        this.costs = costs;
        this.booking = booking;
        this.refill = refill;
    }

    /**
     * {@return what is left when a request arrives that leaves now}
     *
     * @param count what was left when the server told it
     * @param oneWay how long requests are on their way
     */
    double onArrival(double count, long countedAt, long oneWay, double most, long now) {
        limit = most;
        told = countedAt;
        way = oneWay;
        ratio = booking.isHeld() ? 1 : costs.ratio();
        each = costs.mean(CostLedger.UNKNOWN);
        left = count;
        time = countedAt;
        long arrival = now + way;
        for (int i = 0; i < ledger.size(); i++) {
            Entry entry = ledger.get(i);
            if (!entry.told) {
                pass(entry.admittedAt + way);
                left -= isCorrected(entry) ? entry.actual : atArrival(entry);
            } else if (isCorrected(entry)) {
                left -= entry.actual - atArrival(entry);
            } else if (isOpen(entry) && endsUntil(entry, arrival)) { // what is given back is not counted on
                left -= Math.max(0, costs.truth(entry.asked) - atArrival(entry));
            }
        }
        pass(arrival);
        return left;
    }

    /**
     * {@return what is left when that request is settled, if all that are on their way take as long as those before} To
     * be called after {@link #onArrival}.
     */
    double onSettlement(long now) {
        if (!isLate()) {
            return left;
        }
        long duration = Nanos.ofSeconds(booking.duration());
        for (int i = 0; i < ledger.size(); i++) {
            Entry entry = ledger.get(i);
            boolean isLost = now - entry.admittedAt > LOST * duration;
            if (isOpen(entry) && !isLost && !(entry.told && endsUntil(entry, now + way))) {
                pass(endsAt(entry));
                left = Math.min(limit, left + atArrival(entry) - costs.truth(entry.asked));
            }
        }
        pass(now + duration - way);
        return left;
    }

    private void pass(long until) {
        if (until - time > 0) {
            left = Math.min(limit, left + refill.rate() * Instants.secondsSince(time, until));
            time = until;
        }
    }

    /** Whether requests are booked when their answers end, and it is known how long these take. */
    private boolean isLate() {
        return !booking.isAtArrival() && booking.duration() > 0;
    }

    /** Whether it was settled since the last count. */
    private boolean isCorrected(Entry entry) {
        return isLate() && entry.isSettled() && !entry.settlementTold;
    }

    /** Whether it probably ends after the last count and before a time. */
    private boolean endsUntil(Entry entry, long until) {
        return endsAt(entry) - told > 0 && endsAt(entry) - until <= 0;
    }

    /** {@return what the server books for a request when it arrives} */
    private double atArrival(Entry entry) {
        if (entry.actual != CostLedger.UNKNOWN && (entry.exact || !isLate())) {
            return entry.actual;
        }
        if (isLate() && booking.isAtEnd()) {
            return 0;
        }
        return entry.asked == CostLedger.UNKNOWN || !(ratio >= 0) ? each : Math.min(limit, ratio * entry.asked);
    }

    /** Whether the server will book the rest, and it is known when. */
    private boolean isOpen(Entry entry) {
        return isLate() && entry.actual == CostLedger.UNKNOWN;
    }

    private long endsAt(Entry entry) {
        return entry.admittedAt + Nanos.ofSeconds(booking.duration()) - way;
    }

    /** {@return what has to be left when such a request arrives, if what it takes is booked later} */
    double needed(double asked, double most) {
        double held = booking.isHeld() ? Math.max(0, asked) : 0;
        return isLate() ? Math.min(most, held + SPARE * most) : 0;
    }
}
