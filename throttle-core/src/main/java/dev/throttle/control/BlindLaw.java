package dev.throttle.control;

/**
 * The interval when the server tells nothing but refusals. A refusal lengthens it by a constant and by a factor, and it
 * shrinks by a share of itself, slowly at first and the faster the longer nothing was refused. Since the constant
 * weighs most for whoever has the shortest interval, shares come together.
 */
final class BlindLaw {

    /** A refusal makes the time between two requests of each caller longer by this, and then by this factor. */
    private static final double STEP_SECONDS = 0.8;

    private static final double CUT = 1.2;
    /** Recovery per answer, as a logarithm, when answers are a second apart; it grows with this power of that time. */
    private static final double RECOVERY = 0.0002;

    private static final double RECOVERY_POWER = 0.5;
    /** Without a refusal for this long, recovery is twice as fast. */
    private static final double PATIENCE_SECONDS = 400;

    private static final double MOST_SECONDS = 120;
    private static final double MOST_RECOVERY = 0.5;

    private BlindLaw() {}

    /**
     * {@return the interval after a refusal}
     *
     * @param callers callers of the throttle, waiting ones and those on the wire
     * @param least the least factor
     */
    static double refused(double interval, int callers, double least) {
        return (interval + STEP_SECONDS / callers) * Math.max(CUT, least);
    }

    /**
     * {@return the interval after an accepted answer}
     *
     * @param sinceAnswer seconds since the answer before
     * @param sinceRefusal seconds since the last refusal
     */
    static double accepted(double interval, double sinceAnswer, double sinceRefusal) {
        double calm = sinceRefusal / PATIENCE_SECONDS;
        double time = Math.pow(Math.min(sinceAnswer, MOST_SECONDS), RECOVERY_POWER);
        return interval * Math.exp(-Math.min(MOST_RECOVERY, RECOVERY * (1 + calm * calm) * time));
    }
}
