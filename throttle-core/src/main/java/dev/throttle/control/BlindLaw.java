package dev.throttle.control;

/**
 * The interval when the server tells nothing but refusals. A refusal lengthens it, and it shrinks with time, not with
 * each answer, slowly at first and the faster the longer nothing was refused: refusals hit whoever sends most while all
 * recover alike, so shares come together.
 */
final class BlindLaw {

    private static final double CUT = 1.2;
    /** Before the limit was found once, each answer shrinks the interval this much. */
    private static final double SEARCH = 0.4;
    /** Recovery per second, as a logarithm, and the time after which it doubles. */
    private static final double RECOVERY = 0.0006;

    private static final double PATIENCE_SECONDS = 120;
    private static final double MOST_RECOVERY = 0.5;

    /** Whether the limit was found: there was a refusal after accepted requests. */
    private boolean found;

    void lose() {
        found = false;
    }

    /**
     * {@return the factor of the interval for a refusal}
     *
     * @param acceptedBefore whether requests had been accepted since the limit was set
     * @param growth the factor while none had
     */
    double cut(boolean acceptedBefore, double growth) {
        double factor = found ? CUT : acceptedBefore ? CUT / SEARCH : growth;
        found |= acceptedBefore;
        return factor;
    }

    /**
     * {@return the interval after an accepted answer}
     *
     * @param sinceAnswer seconds since the answer before
     * @param sinceRefusal seconds since the last refusal
     */
    double recovered(double interval, double sinceAnswer, double sinceRefusal) {
        if (!found) {
            return interval * SEARCH;
        }
        double calm = sinceRefusal / PATIENCE_SECONDS;
        double step = RECOVERY * (1 + calm * calm) * Math.min(sinceAnswer, PATIENCE_SECONDS);
        return interval * Math.exp(-Math.min(MOST_RECOVERY, step));
    }
}
