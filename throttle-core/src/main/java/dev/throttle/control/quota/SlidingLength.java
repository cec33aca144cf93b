package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * A length that a sliding window may have, and what speaks for it. What remains and what was served in the last window
 * are together the size of the window:
 *
 * <ul>
 *   <li><b>A size that is told</b> has to fit for half of the window.
 *   <li><b>A size that is not told</b> has to stay the same for a window, and before that the count has to have moved.
 *       A bucket at its pace looks the same, but in a bucket what remained and was served moves one window after the
 *       count.
 * </ul>
 */
final class SlidingLength {

    /** Looks that have to fit. */
    private static final int ENOUGH = 4;
    /** By so much counts may be off. */
    static final int SLACK = 2;
    /** A window of so few times the error of a count is not recognised. */
    private static final int ERRORS = 8;

    final double seconds;
    private int hits;
    private long since;
    /** The size is at least and at most this, by all looks that fitted. */
    private double low;

    private double high;
    private double fewest;
    private double most;
    private boolean moved;
    private long movedAt;

    SlidingLength(double seconds) {
        this.seconds = seconds;
    }

    void forget() {
        hits = 0;
    }

    /** {@return looks that have fitted in a row} */
    int hits() {
        return hits;
    }

    /** {@return the size of the window, as far as it fits} */
    double size(double told) {
        return told > 0 ? told : low;
    }

    /** The count was between these since the last look. */
    void count(double least, double greatest) {
        fewest = Math.min(fewest, least);
        most = Math.max(most, greatest);
    }

    /**
     * Looks whether what remains and was served fits.
     *
     * @param used what was served in the last window, at most
     * @param unsure by how much less it may have been
     * @param told the size as the server told it; NaN if it did not
     * @param wire how many of the own requests may have been counted already
     */
    void look(double count, double used, double unsure, double told, double wire, long now) {
        double error = SLACK + wire;
        boolean isVague = ERRORS * error > count + used;
        if (used < count || isVague) {
            return; // it tells nothing
        }
        double atLeast = count + used - unsure;
        double atMost = count + used + wire;
        if (hits == 0) {
            since = now;
            moved = false;
            low = atLeast;
            high = atMost;
            fewest = count;
            most = count;
        }
        low = Math.max(low, atLeast);
        high = Math.min(high, atMost);
        boolean fits = told > 0 ? atLeast <= told + error && count + used >= told - error : low <= high + 2 * SLACK;
        boolean isClear = size(told) >= ERRORS * (error + unsure);
        hits = fits && isClear ? hits + 1 : 0;
        if (!moved && most - fewest >= ERRORS * SLACK + 2 * wire) {
            moved = true;
            movedAt = now;
        }
    }

    /** {@return whether more than chance speaks for it} */
    boolean isLikely() {
        return moved && hits > 0; // the first look has not moved
    }

    /** {@return whether it is certain enough to go by it} */
    boolean isBelieved(double told, long now) {
        boolean lasts = told > 0
                ? now - since >= Nanos.ofSeconds(seconds / 2)
                : moved && now - movedAt >= Nanos.ofSeconds(seconds);
        return hits >= ENOUGH && lasts;
    }
}
