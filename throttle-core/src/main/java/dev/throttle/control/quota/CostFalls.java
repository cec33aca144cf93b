package dev.throttle.control.quota;

/**
 * What requests take, by what the count falls from one answer to the next. Requests that left at almost the same time
 * may have reached the server in another order: then it is learned from all of them together.
 */
final class CostFalls {

    /** After so many it is learned from them whatever their order was. */
    private static final int MANY = 8;

    private final Ledger ledger;
    private final CostModel costs;
    private final Booking booking;
    private final Ledger.Sum pending = new Ledger.Sum();
    private boolean begun;
    private double count;
    private long at;
    private boolean overflowed;

    CostFalls(Ledger ledger, CostModel costs, Booking booking) {
        this.ledger = ledger;
        this.costs = costs;
        this.booking = booking;
    }

    /** An answer came to a request that was let go at a time. */
    void tell(long admittedAt, Ledger.Sum told) {
        ledger.tell(admittedAt, 0, told);
        pending.add(told);
    }

    /**
     * Learns from a count; {@return how much further it fell than it should have by what is known}
     *
     * @param now when the server told it
     * @param isClear whether it is known which requests it tells of
     */
    double read(double remaining, Bucket bucket, long now, boolean isClear) {
        boolean window = bucket.isWindow();
        double limit = bucket.limit;
        double there = begun ? bucket.after(count, Math.max(0, (now - at) / 1e9)) : limit;
        booking.settle(ledger, now, bucket.way, limit);
        double later = booking.later();
        double back = later < 0 ? -later : 0; // NaN if requests were held without an estimate
        boolean full = begun && (window ? now - bucket.resetAt() >= 0 : there + back > limit);
        overflowed |= full;
        if (!isClear && pending.count < MANY && !full) {
            return 0;
        }
        if (overflowed) { // what came back beyond the limit is lost, before the last request at the latest
            double others = costs.mean(pending) * Math.max(0, pending.count - 1) / Math.max(1, pending.count);
            there = window ? Double.NaN : Math.min(limit + pending.known + others, there);
        }
        if (pending.count > 0 && !window) {
            booking.arrived(remaining >= limit);
        }
        double fall = there - remaining;
        double unexplained = begun && !overflowed ? fall - booking.expected(pending) : 0;
        if (pending.count > 0 && !booking.isAtEnd()) {
            costs.fell(fall - pending.known - booking.later(), pending, begun);
        }
        booking.fell(fall, pending, begun && !overflowed);
        begun = true;
        count = remaining;
        at = now;
        overflowed = false;
        pending.clear();
        return unexplained;
    }
}
