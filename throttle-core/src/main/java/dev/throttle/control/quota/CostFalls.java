package dev.throttle.control.quota;

/**
 * What requests take, by what the count falls from one answer to the next. Requests that left at almost the same time
 * may have reached the server in another order: then it is learned from all of them together.
 */
final class CostFalls {

    /** After so many requests it is learned from them whatever their order was. */
    private static final int MANY = 8;

    final Residual residual = new Residual();
    private final CostModel costs;
    private final Booking booking;
    /** The last count that was learned from, NaN before the first, and when it was told. */
    private double count = Double.NaN;

    private long countAt;
    /** The requests that the server has told of since then. */
    private final Ledger.Sum told = new Ledger.Sum();

    CostFalls(CostModel costs, Booking booking) {
        this.costs = costs;
        this.booking = booking;
    }

    /** An answer tells of requests for the first time. */
    void tell(Ledger.Sum requests) {
        told.add(requests);
        residual.told(requests);
    }

    /**
     * Learns from the last count of a bucket, and finds out how far the use of others has lowered it.
     *
     * @param isClear whether it is known which requests it tells of
     * @param own how many own requests it tells of for the first time
     */
    void read(Bucket bucket, boolean isClear, int own) {
        boolean atArrival = booking.isAtArrival();
        double more = read(bucket, isClear);
        if (atArrival != booking.isAtArrival()) {
            residual.clear();
        } else if (!atArrival) {
            residual.fell(more + costs.truth(Ledger.UNKNOWN) * own);
        }
    }

    /**
     * Learns from the last count of a bucket; {@return how much further it fell than it should have by what is known}
     *
     * @param isClear whether it is known which requests it tells of
     */
    double read(Bucket bucket, boolean isClear) {
        double limit = bucket.limit;
        boolean isFirst = Double.isNaN(count);
        double there = isFirst ? limit : bucket.after(count, Math.max(0, bucket.countAt - countAt));
        booking.settle(bucket.countAt, bucket.way, limit);
        double back = booking.corrected() < 0 ? -booking.corrected() : 0;
        boolean isRefilled = !isFirst && (bucket.isWindow() ? bucket.isOver(bucket.countAt) : there + back > limit);
        if (!isClear && told.count < MANY && !isRefilled) {
            return 0;
        }
        if (isRefilled) { // what came back beyond the limit is lost, before the last request at the latest
            double others = costs.mean(told) * Math.max(0, told.count - 1) / Math.max(1, told.count);
            there = bucket.isWindow() ? Double.NaN : Math.min(limit + told.known + others, there);
        }
        if (told.count > 0 && !bucket.isWindow()) {
            booking.arrived(bucket.count >= limit);
        }
        double fall = there - bucket.count;
        double unexplained = isFirst || isRefilled ? 0 : fall - booking.expected(told);
        if (told.count > 0 && !booking.isAtEnd()) {
            costs.fell(fall - told.known - booking.corrected(), told, !isFirst);
        }
        booking.fell(fall, told, !isFirst && !isRefilled);
        count = bucket.count;
        countAt = bucket.countAt;
        told.clear();
        return unexplained;
    }
}
