package dev.throttle.control.busy;

import dev.throttle.internal.Preconditions;

/**
 * The law of {@code busy-rps}, in steps of one second: the limit first recovers, by a multiple of itself or by a
 * constant, and is then halved once for each busy response of the second.
 *
 * <p>From the design note "Throttling on Busy Responses" of TChannel. Immutable and thread-safe.
 */
final class BusyRpsModel {

    /** As good as no limit, in requests per second: where the published simulation starts, and its upper bound. */
    static final double CAP = 9_999_999;

    /** The most halvings of one second. */
    static final int MOST_HALVINGS = 20;
    /** What the most halvings leave of one request a second. A server cannot answer busy to less than that. */
    private static final double LEAST = 1.0 / (1 << MOST_HALVINGS);

    private final double rate;
    private final double value;

    private BusyRpsModel(double rate, double value) {
        this.rate = rate;
        this.value = value;
    }

    /**
     * {@return the law that adds a multiple of the limit each second}
     *
     * @param rate what the limit is multiplied by to get what is added; 3 in the published design
     */
    static BusyRpsModel recoverRate(double rate) {
        return new BusyRpsModel(Preconditions.between("recoverRate", rate, 0.01, 1e6), 0);
    }

    /**
     * {@return the law that adds a constant each second}
     *
     * @param value what is added, in requests per second; 200 in the published comparison
     */
    static BusyRpsModel recoverValue(double value) {
        return new BusyRpsModel(0, Preconditions.between("recoverValue", value, 0.01, CAP));
    }

    /**
     * {@return the limit of the next second, in requests per second}
     *
     * @param limit the limit of this second
     * @param busy the busy responses of this second
     */
    double next(double limit, double busy) {
        double recovered = limit + (value > 0 ? value : limit * rate);
        return Math.max(LEAST, Math.min(CAP, recovered / Math.pow(2, Math.min(busy, MOST_HALVINGS))));
    }

    /** {@return the limit after a number of seconds without busy responses} */
    double quiet(double limit, long seconds) {
        double recovered = value > 0 ? limit + (double) seconds * value : limit * Math.pow(1 + rate, (double) seconds);
        return Math.min(CAP, recovered);
    }

    /** {@return what is in force within a second after so many busy responses} */
    static double halved(double limit, int busy) {
        return limit / (1 << Math.min(busy, MOST_HALVINGS));
    }
}
