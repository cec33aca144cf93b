package dev.throttle.lab;

import dev.throttle.internal.Preconditions;

/**
 * The law of {@code busy-rps} as published, in steps of one second: the limit first recovers, by a multiple of itself
 * or by a constant, and is then halved once for each busy response of the second.
 *
 * <p>From the design note "Throttling on Busy Responses" of TChannel. The strategy applies it continuously.
 *
 * @param rate the multiple, unless there is a constant
 * @param value the constant in requests per second, or 0
 */
record BusyLaw(double rate, double value) {

    /** As good as no limit, in requests per second: where the simulation starts, and its upper bound. */
    static final double CAP = 9_999_999;

    private static final int MOST_HALVINGS = 20;
    private static final double LEAST = 1.0 / (1 << MOST_HALVINGS);

    static BusyLaw recoverRate(double rate) {
        return new BusyLaw(Preconditions.between("--recover-rate", rate, 0.01, 1e6), 0);
    }

    static BusyLaw recoverValue(double value) {
        return new BusyLaw(0, Preconditions.between("--recover-value", value, 0.01, CAP));
    }

    /** {@return the limit of the next second} */
    double next(double limit, double busy) {
        double recovered = limit + (value > 0 ? value : limit * rate);
        return Math.max(LEAST, Math.min(CAP, recovered / Math.pow(2, Math.min(busy, MOST_HALVINGS))));
    }

    /** {@return how the recovery is called in the published tables} */
    String recovery() {
        return value > 0 ? "recover_value: " + plain(value) : "recover_rate: " + plain(rate);
    }

    private static String plain(double number) {
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }
}
