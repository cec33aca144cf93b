package dev.throttle.control;

/**
 * How an answer that tells what remains moves the interval: the remaining count is a price that every client sees.
 * Below the target everybody slows down, above it everybody speeds up, and each waits for the trend: who sees the count
 * already rise does not brake, who sees it fall does not speed up.
 */
final class RemainingLaw {

    /** Gain of slowing down, per e-fold below the target. */
    private static final double SLOW_GAIN = 0.31;
    /** A client with a long interval slows down less: shares come together. */
    private static final double SLOW_EXPONENT = 0.25;
    /** Extra slowing while the count falls so fast that it is used up by the next own answer. */
    private static final double FALL_GAIN = 0.25;

    private static final double FALL_EXPONENT = 0.1;
    private static final double MOST_FALL = 1.5;
    /** The most an answer slows down by, as a logarithm, unless the count fell by several. */
    private static final double SLOW_STEP = 0.4;
    /** Gain of speeding up, per e-fold above the target. */
    private static final double SPEED_GAIN = 0.24;
    /** Pull to the reference interval, per e-fold away from it: the point of rest is unique, so shares cannot drift. */
    private static final double LEAN = 0.055;
    /** Where the pull is neutral: the only absolute time scale. */
    private static final double REFERENCE_SECONDS = 0.733;
    /** Weight of an answer that shows the same count as the one before: whole numbers hide small drifts. */
    private static final double FLAT_WEIGHT = 0.25;
    /** Above the target the interval shrinks at once by this power of target / remaining. */
    private static final double DISCOUNT_POWER = 0.65;

    private static final double LEAST_DISCOUNT = 0.9;
    private static final double MOST_DISCOUNT = 0.13;

    private RemainingLaw() {}

    /**
     * {@return the interval after an answer}
     *
     * @param interval the interval before it in seconds
     * @param error the logarithm of what may be used by the target
     * @param remaining what remains
     * @param change what remains now, less what remained at the answer before
     * @param inFlight requests on their way, whose answers will carry the same news
     */
    static double next(double interval, double error, double remaining, double change, int inFlight) {
        double ratio = Math.log(interval / REFERENCE_SECONDS);
        double weight = change == 0 && remaining > 0 ? FLAT_WEIGHT : 1;
        double step = 0;
        if (error < 0 && change <= 0) {
            double price = -weight * SLOW_GAIN * error * Math.exp(-SLOW_EXPONENT * ratio);
            double fall = Math.min(MOST_FALL, -change / (remaining + 1)) * FALL_GAIN * Math.exp(-FALL_EXPONENT * ratio);
            step = Math.min(price + fall, SLOW_STEP * Math.max(1, -change));
        } else if (error > 0 && change >= 0) {
            step = -weight * error * SPEED_GAIN;
        }
        return interval * Math.exp(step / (1 + inFlight) - LEAN * ratio);
    }

    /** {@return the share of the interval that has to pass while more remains than the target} */
    static double discount(double target, double remaining) {
        double power = Math.pow(target / Math.max(remaining, 0.5), DISCOUNT_POWER);
        return Math.min(LEAST_DISCOUNT, Math.max(MOST_DISCOUNT, power));
    }
}
