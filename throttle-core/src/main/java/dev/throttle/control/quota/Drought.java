package dev.throttle.control.quota;

/**
 * When to ask again while nothing is left. Between two bounds the last droughts came to their end: questions halve the
 * distance of these until it is small, and then wait for the later one. Beyond it, they come ever less often.
 */
final class Drought {

    /** Bounds are near enough that differ by this share of the later one. */
    private static final double NEAR = 0.1;

    private boolean lasts;
    private long beganAt;
    private long askedAt;
    /** How long droughts last at least and at most, in seconds; 0 if there was none. */
    private double least;

    private double most;

    void read(boolean empty, long now) {
        if (lasts && !empty) {
            over((askedAt - beganAt) / 1e9, (now - beganAt) / 1e9);
        } else if (!lasts && empty) {
            beganAt = now;
        }
        lasts = empty;
        askedAt = now;
    }

    private void over(double longer, double shorter) {
        boolean fits = longer < most && shorter > least;
        least = fits ? Math.max(least, longer) : longer;
        most = fits ? Math.min(most, shorter) : shorter;
    }

    boolean lasts() {
        return lasts;
    }

    /** {@return how long they last, about} */
    double usual() {
        return (least + most) / 2;
    }

    /** {@return the time from the last question to the next, in seconds} */
    double patience(Tuning tuning) {
        double lasted = (askedAt - beganAt) / 1e9;
        double from = Math.max(least, lasted);
        double until = most - from < NEAR * most ? most : (from + most) / 2;
        double later = Math.max(tuning.firstProbe, tuning.probeShare * lasted);
        return lasted < until ? until - lasted : later;
    }
}
