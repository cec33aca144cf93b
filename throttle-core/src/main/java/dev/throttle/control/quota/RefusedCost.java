package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;

/**
 * What a refused request takes, and how long it stands aside. A bucket that says when it holds enough tells what it
 * takes to a part in a hundred. One that says nothing tells that it is more than what is left.
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

    private final Surroundings surroundings;
    private final String unit;
    private final CostModel costs;
    private final Bucket bucket;
    private final Booking booking;
    /** What the request takes that was refused last; NaN if that is not known. */
    private double told = Double.NaN;
    /** By how much it was too large; 0 if that is not known, or if it has stood aside since. */
    private double missing;

    RefusedCost(Surroundings surroundings, String unit, CostModel costs, Bucket bucket, Booking booking) {
        this.surroundings = surroundings;
        this.unit = unit;
        this.costs = costs;
        this.bucket = bucket;
        this.booking = booking;
    }

    /** Reads an answer to a request that asked for so much. */
    void read(double asked, Reading r) {
        told = Double.NaN;
        if (!r.isRefused()) {
            return;
        }
        double retryAfter = r.retryAfter;
        missing = Math.min(bucket.limit, retryAfter >= 0 ? bucket.rate() * retryAfter : costs.mean(asked));
        if (!booking.isAtArrival() || !(retryAfter > 0) || bucket.rate() <= 0 || bucket.isWindow()) {
            return;
        }
        double took = Math.ceil(EXACTLY * (r.count + bucket.rate() * retryAfter));
        costs.seen(asked, took);
        boolean rounded = retryAfter == Math.rint(retryAfter) && bucket.rate() > ROUGH * bucket.limit;
        boolean unsure = !bucket.isSure() && took > SUSPICIOUS * bucket.limit;
        told = rounded || unsure ? Double.NaN : Math.min(took, bucket.limit);
    }

    /** The last answer refused a request, and said neither when to come back nor that anything else was used up. */
    void readSilent(double asked) {
        if (booking.isAtArrival() && bucket.isSure() && !bucket.isWindow()) {
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

    /**
     * {@return how long it stands aside} The others of the program go on: one that needs a bucket nearly full may have
     * to wait for long.
     *
     * @param refusals how many times in a row it was refused
     * @param slot the interval of this client, in seconds
     * @param fewWait whether few others of the program wait
     */
    long standAsideNanos(int refusals, double slot, boolean fewWait) {
        double units = missing;
        double rate = bucket.rate();
        if (units <= 0 || rate <= 0) {
            return 0;
        }
        missing = 0;
        double sharers = slot * rate / costs.mean();
        double wait = fewWait ? Math.max(units / rate, 0.5 * slot) : Math.max(sharers * units / rate, slot);
        double longer = fewWait ? 1 : Math.pow(1.5, Math.min(4, refusals - 1));
        return Nanos.ofSeconds(Math.min(
                surroundings.settings.maxInterval(), wait * longer * (1 + 0.8 * surroundings.random.nextDouble())));
    }
}
