package dev.throttle.control.quota;

/**
 * Whether the count swings, and what is done about it. On a sliding window everything that was used comes back one
 * window later, as an echo. An interval that adds up errors lags behind the count, and the two would swing ever wider.
 *
 * <p>Each time the count has gone from far above its target to far below or back, {@code c} becomes {@code damping}
 * times as much; it begins with 1. From then on
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
    /** Which way the last large error went. */
    private int side;

    Damping(Tuning tuning) {
        this.tuning = tuning;
    }

    void forget() {
        factor = 1;
        error = 0;
        side = 0;
    }

    /** Takes notice of the logarithm of what may be used by the target. */
    void read(double now) {
        error = Math.max(-LARGEST, Math.min(LARGEST, now));
        int to = error >= LARGE ? 1 : error <= -LARGE ? -1 : 0;
        if (to != 0) {
            if (to == -side) {
                factor *= tuning.damping;
            }
            side = to;
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
