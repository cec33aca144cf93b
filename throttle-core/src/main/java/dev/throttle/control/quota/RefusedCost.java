package dev.throttle.control.quota;

import dev.throttle.signal.Cost;

/**
 * What a refused request takes. A bucket that says when it holds enough tells it to a part in a hundred. One that says
 * nothing tells that it is more than what is left.
 */
final class RefusedCost {

    /** What a refusal tells is rounded. */
    private static final double EXACTLY = 1.01;
    /** A time in whole seconds tells too little where this share of the limit comes back in one. */
    private static final double ROUGH = 0.1;
    /** A refusal that asks for more than this share of the limit may be one until a window ends. */
    private static final double SUSPICIOUS = 0.9;

    /** A request is taken for one that takes so many times what was too little for it. */
    private static final double MORE = 1.3;

    private final String unit;
    private final CostModel costs;
    private final Bucket bucket;
    private final Booking booking;
    /** What the request takes that was refused last; NaN if that is not known. */
    private double told = Double.NaN;

    RefusedCost(String unit, CostModel costs, Bucket bucket, Booking booking) {
        this.unit = unit;
        this.costs = costs;
        this.bucket = bucket;
        this.booking = booking;
    }

    /**
     * Reads an answer.
     *
     * @param retryAfter in how many seconds a refused request may come back; NaN if that is not told, or for a success
     */
    void read(double asked, double remaining, double retryAfter) {
        told = Double.NaN;
        if (!booking.isAtArrival() || !(retryAfter > 0) || bucket.rate() <= 0 || bucket.isWindow()) {
            return;
        }
        double took = Math.ceil(EXACTLY * (remaining + bucket.rate() * retryAfter));
        costs.seen(asked, took);
        boolean rounded = retryAfter == Math.rint(retryAfter) && bucket.rate() > ROUGH * bucket.limit;
        boolean unsure = !bucket.isSure() && took > SUSPICIOUS * bucket.limit;
        told = rounded || unsure ? Double.NaN : Math.min(took, bucket.limit);
    }

    /** The last answer refused a request, and said neither when to come back nor that anything else was used up. */
    void readSilent(double asked) {
        if (booking.isAtArrival()) {
            told = Math.min(bucket.limit, Math.ceil(MORE * Math.max(0, bucket.count)));
            costs.seen(asked, told);
        }
    }

    /** {@return what a request takes that was refused last} */
    Cost of(Cost cost) {
        double took = told;
        told = Double.NaN;
        if (!(took > 0 && took <= Cost.MAX_AMOUNT)) {
            return cost;
        }
        costs.tell(took);
        return cost.and(unit, (long) took);
    }
}
