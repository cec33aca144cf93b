package dev.throttle.control.quota;

/**
 * What requests take, by what the count falls from one answer to the next. Requests that left at almost the same time
 * may have reached the server in another order: then it is learned from all of them together.
 */
final class CostFalls {

    /** After so many it is learned from them whatever their order was. */
    private static final int MANY = 8;

    private final CostLedger ledger;
    private final CostModel costs;
    private final CostLedger.Sum told = new CostLedger.Sum();
    private final CostLedger.Sum pending = new CostLedger.Sum();
    private boolean begun;
    private double count;
    private long at;
    private boolean overflowed;

    CostFalls(CostLedger ledger, CostModel costs) {
        this.ledger = ledger;
        this.costs = costs;
    }

    /** An answer came to a request that was let go at a time. */
    CostLedger.Sum tell(long admittedAt) {
        ledger.tell(admittedAt, told);
        pending.add(told);
        return told;
    }

    /**
     * Learns from a count.
     *
     * @param now when the server told it
     * @param isClear whether it is known which requests it tells of
     */
    void read(double remaining, double limit, UnitRefill refill, long now, boolean isClear) {
        boolean window = refill.isWindow();
        double there = begun ? refill.after(count, Math.max(0, (now - at) / 1e9)) : limit;
        boolean full = begun && (window ? now - refill.resetAt() >= 0 : there > limit);
        overflowed |= full;
        if (!isClear && pending.count < MANY && !full) {
            return;
        }
        if (overflowed) { // what came back beyond the limit is lost, before the last request at the latest
            double others = costs.mean(pending) * Math.max(0, pending.count - 1) / Math.max(1, pending.count);
            there = window ? Double.NaN : Math.min(limit + pending.known + others, there);
        }
        if (pending.count > 0) {
            costs.fell(there - remaining - pending.known, pending, begun);
        }
        begun = true;
        count = remaining;
        at = now;
        overflowed = false;
        pending.clear();
    }
}
