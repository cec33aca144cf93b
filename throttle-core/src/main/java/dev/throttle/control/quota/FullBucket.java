package dev.throttle.control.quota;

/** Finds out that a count cannot rise any more: a small bucket that is full. */
final class FullBucket {

    private static final int SEEN = 8;
    private static final double PAUSE = 2.5;
    private static final int PAUSES = 3;

    private double highest = -1;
    private int seen;
    private int pauses;
    private boolean pausing;
    private double limit = Double.POSITIVE_INFINITY;

    void forget() {
        highest = -1;
        seen = 0;
        pauses = 0;
        pausing = false;
        limit = Double.POSITIVE_INFINITY;
    }

    boolean isKnown() {
        return limit < Double.POSITIVE_INFINITY;
    }

    double limit() {
        return limit;
    }

    /** {@return how long to pause, in seconds; 0 for not at all} */
    double read(double count, double interval) {
        if (count > highest) {
            highest = count;
            seen = 0;
            pauses = 0;
            pausing = false;
            return 0;
        }
        if (count < highest) {
            pausing = false;
            return 0;
        }
        if (pausing) {
            pausing = false;
            if (++pauses >= PAUSES) {
                limit = highest + 1;
            }
            return 0;
        }
        if (++seen >= SEEN) {
            pausing = true;
            return PAUSE * interval;
        }
        return 0;
    }
}
