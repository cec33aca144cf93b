package dev.throttle.control.quota;

/**
 * Whether a remaining count can be believed. A single reading far from all before it is held back until another
 * confirms it; a count that jumps again and again, or that stands still while requests pass and the pace changes, is
 * not used until it behaves.
 */
final class OutlierFilter {

    /** A reading that is off by this many swings needs a second one. */
    private static final double SURPRISE_SWINGS = 8;

    private static final double MOST_SUSPICION = 4;
    private static final double SUSPICION_DECAY = 0.8;
    /** A second reading confirms the first if it is as near to it as this share of the larger one. */
    private static final double CONFIRM_SHARE = 0.25;
    /** The first readings are all believed: a newcomer does not know yet how much the count moves. */
    private static final int SETTLED_AFTER = 6;
    /** So many equal answers, while the interval grew this many times over, tell that the count stands still. */
    private static final int STUCK_ANSWERS = 12;
    /** So many are enough if nothing was refused meanwhile. */
    private static final int STUCK_UNREFUSED = 5;

    private static final double STUCK_GROWTH = 3;

    private double last = Double.NaN;
    private double heldBack = Double.NaN;
    private int readings;
    private double suspicion;
    private boolean jumps;

    private int equalAnswers;
    private double intervalAtEqual;
    private boolean refusedMeanwhile;
    private boolean stuck;

    /** {@return the last reading that was believed; NaN if there is none} */
    double last() {
        return last;
    }

    /** {@return whether the count is not to be used} */
    boolean isLost() {
        return jumps || stuck;
    }

    void forget() {
        last = Double.NaN;
    }

    /** Learns of a refusal. */
    void refused() {
        refusedMeanwhile = true;
    }

    /** The interval has changed by a factor for another reason than the count. */
    void paceChanged(double factor) {
        intervalAtEqual *= factor;
    }

    /**
     * {@return the interval from before the count was found to stand still, if that was just now; else 0}
     *
     * @param remaining the count of an accepted answer
     */
    double checkStuck(double remaining, double interval) {
        if (remaining != last) {
            equalAnswers = 0;
            refusedMeanwhile = false;
            stuck = false;
            return 0;
        }
        if (equalAnswers++ == 0) {
            intervalAtEqual = interval;
        }
        int enough = refusedMeanwhile ? STUCK_ANSWERS : STUCK_UNREFUSED;
        if (stuck || equalAnswers < enough || interval <= STUCK_GROWTH * intervalAtEqual) {
            return 0;
        }
        stuck = true;
        return intervalAtEqual;
    }

    /**
     * {@return whether a reading is taken}
     *
     * @param slack how far a reading may be off in any case
     */
    boolean accept(double remaining, double swing, double slack) {
        double usual = SURPRISE_SWINGS * swing + slack;
        double off = Math.abs(remaining - last);
        double near = Math.min(off, usual + CONFIRM_SHARE * Math.max(remaining, heldBack));
        boolean confirmed = Math.abs(remaining - heldBack) <= near;
        boolean settled = readings >= SETTLED_AFTER;
        readings = settled ? readings : readings + 1;
        if (settled && off > usual && !confirmed) {
            heldBack = remaining;
            suspicion++;
            jumps |= suspicion > MOST_SUSPICION;
            return false;
        }
        suspicion *= SUSPICION_DECAY;
        jumps &= suspicion >= 1;
        heldBack = Double.NaN;
        last = remaining;
        return true;
    }
}
