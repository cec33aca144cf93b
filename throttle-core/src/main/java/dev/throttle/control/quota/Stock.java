package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;

/** How much has to be left for a request, so that it fits and a bucket neither runs dry nor overflows. */
final class Stock {

    /** How sure it is that a request fits in a window, and in a bucket; in standard deviations. */
    private static final double WINDOW_MARGIN = 2.2;

    private static final double BUCKET_MARGIN = 3.5;
    /** No more than this share of the limit is kept free for a request that is larger than most. */
    private static final double CAUTION = 0.75;
    /** What a bucket keeps at least, however well it is known what requests take; and if that is booked later. */
    private static final double KEPT = 0.25;

    private static final double LATE_KEPT = 0.5;
    /** By how many standard deviations of what is on the wire a bucket is less than full. */
    private static final double ROOM = 1.3;

    private final CostModel costs;
    private final Booking booking;
    private final Bucket bucket;

    /** How many callers wait. */
    private int waiting;

    Stock(CostModel costs, Booking booking, Bucket bucket) {
        this.costs = costs;
        this.booking = booking;
        this.bucket = bucket;
    }

    void read(Load load) {
        waiting = load.waiting();
    }

    void admitted() {
        waiting--;
    }

    int waiting() {
        return waiting;
    }

    /**
     * {@return how much has to be left in a window}
     *
     * @param asked what the request asks for
     * @param guess what others of its kind ask for; the same unless a refusal has told what it takes
     * @param onWire what requests take that the server has not told of, and how many these are
     */
    double inWindow(double asked, double guess, double onWire, int requests) {
        double cap = CAUTION * bucket.limit - onWire * costs.ratio(guess).spread() / Math.sqrt(Math.max(1, requests));
        return need(asked, booking.high(guess, WINDOW_MARGIN), cap);
    }

    /** {@return how much has to be left in a bucket} */
    double inBucket(double asked, double guess) {
        double mean = booking.mean(asked);
        if (costs.isFixed()) {
            return Math.min(mean + 1, Math.max(mean, bucket.limit)); // counts are rounded down
        }
        double kept = (booking.isAtArrival() ? KEPT : LATE_KEPT) * bucket.limit;
        double each = costs.mean(guess);
        double spread = costs.ratio(guess).spread();
        double onWire = Math.min(bucket.limit, bucket.rate() * 2 * bucket.way / 1e9); // what comes back meanwhile
        double deviation = Math.sqrt(Math.expm1(spread * spread) * each * onWire);
        double cap = Math.min(CAUTION * bucket.limit, bucket.limit - ROOM * deviation); // or it would overflow
        return need(asked, Math.max(booking.high(guess, BUCKET_MARGIN), mean + kept), cap);
    }

    private double need(double asked, double high, double cap) {
        double mean = Math.min(booking.mean(asked), bucket.limit);
        return Math.max(mean, Math.min(bucket.limit, Math.min(high, cap)));
    }
}
