package dev.throttle.control.quota;

/**
 * How an answer that tells what remains moves the interval: the remaining count is a price that every client sees.
 * Below the target all clients slow down, above it all speed up. The trend counts too: a client that sees the count
 * rise does not slow down, and one that sees it fall speeds up only as far as the count will stay above the target.
 */
final class RemainingLaw {

    private RemainingLaw() {}

    /**
     * {@return by how much an answer makes the interval longer, as a logarithm} A client with a long interval gets few
     * answers, so its steps are larger when it speeds up, and it catches up with the others.
     *
     * @param interval the interval before it in seconds
     * @param error the logarithm of what may be used by the target
     * @param remaining what remains
     * @param change what remains now, less what remained at the answer before
     */
    static double step(Tuning tuning, double interval, double error, double remaining, double change) {
        if (error < 0) {
            return slower(tuning, error, remaining, change);
        }
        double faster = tuning.speedGain * lasting(tuning, error, remaining, change);
        double longer = interval / tuning.reference;
        double more = longer > 1 ? faster * Math.min(longer, tuning.catchUp) : 0;
        return -Math.max(faster, Math.min(more, StrictMath.log(longer)));
    }

    /** {@return by how much an answer draws an interval of so many seconds towards the reference, as a logarithm} */
    static double lean(Tuning tuning, double interval) {
        return tuning.lean * StrictMath.log(interval / tuning.reference);
    }

    private static double slower(Tuning tuning, double error, double remaining, double change) {
        if (change > 0) {
            return 0;
        }
        double weight = change == 0 && remaining > 0 ? tuning.flatWeight : 1;
        double fall = change < 0 ? StrictMath.log((remaining - change + 1) / (remaining + 1)) : 0;
        return -weight * tuning.slowGain * error + tuning.news * fall;
    }

    /** {@return how far above the target the count will still be in a while, as a logarithm; 0 if it will not} */
    private static double lasting(Tuning tuning, double error, double remaining, double change) {
        if (change >= 0) {
            return error;
        }
        double later = Math.max(0, remaining + tuning.foresight * change);
        return Math.max(0, error + StrictMath.log((later + 0.5) / (remaining + 0.5)));
    }
}
