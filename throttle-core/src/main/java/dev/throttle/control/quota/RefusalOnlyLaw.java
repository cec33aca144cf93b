package dev.throttle.control.quota;

/**
 * The interval when the server tells nothing but refusals. A refusal lengthens it by a factor, and each accepted answer
 * shortens it a little, the more the longer nothing was refused. Short intervals are lengthened more and shortened
 * less: shares come together.
 */
final class RefusalOnlyLaw {

    /** What a refusal does, as a logarithm, to a caller that waits {@link #REFERENCE_SECONDS}. */
    private static final double CUT = 0.3;
    /** What an accepted answer does to it, as a logarithm. */
    private static final double RECOVERY = 0.00075;
    /** Both change with this power of how long callers wait. */
    private static final double FAIRNESS = 0.25;

    private static final double REFERENCE_SECONDS = 8;
    /** Without a refusal for this long, recovery is twice as fast. */
    private static final double PATIENCE_SECONDS = 700;

    private static final double MOST_RECOVERY = 0.5;

    private RefusalOnlyLaw() {}

    /**
     * {@return the interval after a refusal}
     *
     * @param callers callers of the throttle, waiting ones and those on the wire
     */
    static double refused(double interval, int callers) {
        return interval * StrictMath.exp(CUT / weight(interval, callers));
    }

    /**
     * {@return the interval after an accepted answer}
     *
     * @param callers callers of the throttle, waiting ones and those on the wire
     * @param sinceRefusal seconds since the last refusal
     */
    static double accepted(double interval, int callers, double sinceRefusal) {
        double calm = sinceRefusal / PATIENCE_SECONDS;
        double recovery = RECOVERY * (1 + calm * calm) * weight(interval, callers);
        return interval * StrictMath.exp(-Math.min(MOST_RECOVERY, recovery));
    }

    private static double weight(double interval, int callers) {
        return StrictMath.pow(interval * callers / REFERENCE_SECONDS, FAIRNESS);
    }
}
