package dev.throttle.control.quota;

/**
 * Whether the count swings, and what is done about it. On a sliding window everything that was used comes back one
 * window later, as an echo. An interval that adds up errors lags behind the count, and the two would swing ever wider.
 *
 * <p>Each time the count has gone from far above its target to far below or back, {@code c} becomes {@code damping}
 * times as much; it begins with 1, and comes back to it in the time of {@code recovery} such swings. Meanwhile
 *
 * <pre>
 *   the interval follows the error        c^2 times as fast
 *   and leans towards its reference       c times as fast
 *   requests leave after                  s * exp(-(1 - c) * error)
 * </pre>
 *
 * <p>So the law turns from one that adds up errors into one that answers to the present error, which an echo cannot
 * build up.
 */
final class Damping {

    /** An error is large from here on: the count is that factor above or below its target, as a logarithm. */
    private static final double LARGE = 1;

    private static final double LARGEST = 3;

    private final Tuning tuning;
    private double factor = 1;
    private double error;
    /** Which way the last large error went, and since when. */
    private int side;

    private long sideAt;
    private long readAt;
    /** How long the last swing took, in seconds. */
    private double lasted;

    Damping(Tuning tuning) {
        this.tuning = tuning;
    }

    void forget() {
        factor = 1;
        error = 0;
        side = 0;
    }

    /** Takes notice of the logarithm of what may be used by the target. */
    void read(double logarithm, long now) {
        error = Math.max(-LARGEST, Math.min(LARGEST, logarithm));
        int to = error >= LARGE ? 1 : error <= -LARGE ? -1 : 0;
        if (factor < 1) {
            factor += (1 - factor) * Math.min(1, (now - readAt) / 1e9 / (tuning.recovery * lasted));
        }
        readAt = now;
        if (to != 0 && to != side) {
            if (side != 0) {
                factor *= tuning.damping;
                lasted = Math.max(1e-3, (now - sideAt) / 1e9);
            }
            side = to;
            sideAt = now;
        }
    }

    /** {@return how fast the interval leans towards its reference} Its square is how fast it follows the error. */
    double factor() {
        return factor;
    }

    /** {@return what the interval is multiplied by until the next answer} */
    double now() {
        return factor == 1 ? 1 : StrictMath.exp((factor - 1) * error);
    }
}
