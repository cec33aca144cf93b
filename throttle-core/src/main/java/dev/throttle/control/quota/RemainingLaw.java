package dev.throttle.control.quota;

/**
 * How an answer that tells what remains moves the interval: the remaining count is a price that every client sees.
 * Below the target everybody slows down, above it everybody speeds up, and each minds the trend: who sees the count
 * already rise does not brake, who sees it fall speeds up only as far as it will stay above the target.
 */
final class RemainingLaw {

    /** Gain of slowing down, per e-fold below the target. */
    private static final double SLOW_GAIN = 0.13;
    /** Extra slowing while the count falls so fast that it is used up by the next own answer. */
    private static final double FALL_GAIN = 0.1;

    private static final double MOST_FALL = 1.9;
    /** Gain of speeding up, per e-fold above the target. */
    private static final double SPEED_GAIN = 0.06;
    /** A count that falls has to be above the target after so many more answers to speed up. */
    private static final double FORESIGHT = 3;
    /** Pull to the reference interval, per e-fold away from it: the point of rest is unique, so shares cannot drift. */
    private static final double LEAN = 0.032;
    /** Where the pull is neutral: the only absolute time scale. */
    private static final double REFERENCE_SECONDS = 0.733;
    /** Weight of an answer that shows the same count as the one before: whole numbers hide small drifts. */
    private static final double FLAT_WEIGHT = 0.28;
    /** Above the target the interval shrinks at once by this power of target / remaining. */
    private static final double DISCOUNT_POWER = 0.5;

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
        double lean = LEAN * StrictMath.log(interval / REFERENCE_SECONDS);
        double step = error < 0 ? slower(error, remaining, change) : -SPEED_GAIN * lasting(error, remaining, change);
        return interval * StrictMath.exp((step - lean) / (1 + inFlight));
    }

    private static double slower(double error, double remaining, double change) {
        if (change > 0) {
            return 0;
        }
        double weight = change == 0 && remaining > 0 ? FLAT_WEIGHT : 1;
        return -weight * SLOW_GAIN * error + FALL_GAIN * Math.min(MOST_FALL, -change / (remaining + 1));
    }

    /** {@return how far above the target the count will still be in a while, as a logarithm; 0 if it will not} */
    private static double lasting(double error, double remaining, double change) {
        if (change >= 0) {
            return error;
        }
        double later = Math.max(0, remaining + FORESIGHT * change);
        return Math.max(0, error + StrictMath.log((later + 0.5) / (remaining + 0.5)));
    }

    /** {@return the share of the interval that has to pass while more remains than the target} */
    static double discount(double target, double remaining) {
        double power = StrictMath.pow(target / Math.max(remaining, 0.5), DISCOUNT_POWER);
        return Math.min(1, Math.max(MOST_DISCOUNT, power));
    }
}
