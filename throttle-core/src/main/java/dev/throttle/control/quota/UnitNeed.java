package dev.throttle.control.quota;

import dev.throttle.control.RateLimit.Load;

/** How much has to be left for a request, so that it fits and the bucket neither runs dry nor overflows. */
final class UnitNeed {

    /** How sure it is that a request fits in a window, and in a bucket; in standard deviations. */
    private static final double MARGIN = 2.2;

    private static final double BUCKET_MARGIN = 3.5;
    /** No more than this share of the limit is kept free for a request that is larger than most. */
    private static final double CAUTION = 0.75;
    /** What a bucket keeps at least, however well it is known what requests take; and if that is booked later. */
    private static final double STOCK = 0.25;

    private static final double LATE_STOCK = 0.5;
    /** By how many standard deviations of what is on the wire a bucket is less than full. */
    private static final double ROOM = 1.3;
    /** The last calls of a program need not be surer than so many standard deviations. */
    private static final double LAST = 1;
    /** How fast it is forgotten how many callers there were, with each answer. */
    private static final double LEAVING = 0.01;
    /** Fewer callers than this share of the most: the program comes to its end. */
    private static final double FEWER = 0.95;

    private final CostModel costs;
    private final Booking booking;
    private final UnitRefill refill;

    /** The callers that wait or are on the wire, the most there were of late, and those that wait. */
    private int callers;

    private double mostCallers;
    private int waiting;

    UnitNeed(CostModel costs, Booking booking, UnitRefill refill) {
        this.costs = costs;
        this.booking = booking;
        this.refill = refill;
    }

    void read(Load load) {
        callers = load.inFlight() + load.waiting();
        mostCallers = Math.max(callers, mostCallers - LEAVING * (mostCallers - callers));
        waiting = load.waiting();
    }

    void admitted() {
        waiting--;
    }

    int waiting() {
        return waiting;
    }

    /**
     * {@return how much has to be left}
     *
     * @param asked what the request asks for
     * @param guess what others of its kind ask for; the same unless a refusal has told what it takes
     * @param onWire what requests take that the server has not told of, and how many these are
     */
    double of(double asked, double guess, double onWire, int requests, long way, double limit) {
        boolean exact = costs.isExact(asked);
        boolean window = refill.isWindow();
        double high = booking.high(guess, window ? MARGIN : BUCKET_MARGIN);
        double mean = booking.mean(asked);
        if (!window) {
            high = Math.max(high, mean + (booking.isAtArrival() ? STOCK : LATE_STOCK) * limit);
        }
        double cap = window ? windowCap(onWire, requests, guess, limit) : bucketCap(guess, way, limit);
        double least = !exact && costs.isDoubtful(asked) ? Math.min(mean, CAUTION * limit) : mean;
        return Math.min(limit, Math.max(least, Math.min(high, cap)));
    }

    private double windowCap(double onWire, int requests, double guess, double limit) {
        return CAUTION * limit - onWire * costs.spread(guess) / Math.sqrt(Math.max(1, requests));
    }

    /** {@return what a bucket holds at most when a request arrives, so that it does not overflow before} */
    private double bucketCap(double guess, long way, double limit) {
        double each = costs.mean(guess);
        double spread = costs.spread(guess);
        double onWire = Math.min(limit, refill.rate() * 2 * way / 1e9); // as much as comes back in the meantime
        double deviation = Math.sqrt(Math.expm1(spread * spread) * each * onWire);
        double cap = Math.min(CAUTION * limit, limit - ROOM * deviation);
        boolean ends = refill.isBucket() && refill.isSure() && callers < FEWER * mostCallers;
        return ends ? Math.min(cap, costs.high(guess, LAST) + each * Math.max(0, waiting - 1)) : cap;
    }
}
