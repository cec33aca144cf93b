package dev.throttle.control.quota;

/**
 * The size and the length of a window that no header tells of: what was accepted from one renewal to the next, and the
 * time between them. Two alike in a row make it sure. After three alike ones, one that differs is left out, and two are
 * believed.
 *
 * <p>A renewal is found by asking, so it was between the last refusal and the first accepted request. If one of the
 * usual lengths of windows is between these two, it is believed. Any other length is found by halving what is possible.
 * A server may also lock out who asks for too much, for longer than its window lasts. That shows once a window is
 * waited for without a refusal, and a question in the middle of it is accepted.
 *
 * <p>Times are in seconds.
 */
final class GuessedWindow {

    /** After so many windows without a refusal requests go on until one is refused: the limit may have grown. */
    private static final int TRIED = 7;
    /** What lasts more windows is taken for no more: there may have been nothing to send. */
    private static final int LONGEST_LOCK_OUT = 16;
    /** After so many that were like the one before, one that differs is left out. */
    private static final int USUAL = 2;
    /** Lengths are alike that differ by no more than this factor, and sizes by this share. */
    private static final double SIMILAR_LENGTH = 1.5;

    private static final double SIMILAR_SIZE = 0.1;
    /** A window of a usual length is taken to last a little longer, or its end might be missed. */
    private static final double LONGER = 1.01;
    /** A length is known well enough if this share of it was too short. */
    private static final double KNOWN = 0.9;

    private double size;
    private double length;
    /** The longest time that was too short, of windows of about the same length. */
    private double least;

    /** How many have left since the last renewal; it means nothing while the size is 0. */
    private double sent;

    private double sizeBefore;
    private double cycleBefore;
    /** How many windows in a row were like the one before. */
    private int alike;
    /** In how many more nothing has to be refused. */
    private int trusted;

    boolean isGuessed() {
        return size > 0;
    }

    /** {@return whether as many requests have now left as were accepted in the window before} */
    boolean admitted(int permits) {
        boolean wasLeft = sent < size;
        sent += permits;
        if (sent > 2 * size) {
            forget(); // it has grown, or there is none
        }
        return wasLeft && sent >= size;
    }

    /** {@return whether it is known so well that nothing has to be refused to find its end} */
    boolean isSure() {
        return length > 0 && alike > 0 && trusted > 0;
    }

    /** {@return the time from one renewal to the next; 0 if it is not known} */
    double length() {
        return length;
    }

    /** {@return whether half of the length may be enough, since nothing was refused after that} */
    boolean isDoubtful() {
        return least < length / 2;
    }

    /**
     * {@return when a question before the end may tell that the window is shorter: in the middle of the lengths that
     * are possible, and if the length is known well, anywhere in the second half of it}
     *
     * @param chance a number from 0 to 1
     */
    double doubtful(double chance) {
        return least < KNOWN * length ? (least + length) / 2 : length * (1 + chance) / 2;
    }

    /** {@return whether so many accepted requests are about all that fit} */
    boolean isUsedUp(double accepted) {
        return accepted >= (1 - SIMILAR_SIZE) * size;
    }

    /**
     * An event of refusals is over.
     *
     * @param accepted how many requests were accepted since the last one
     * @param refused the time from then until the last one left that was refused; 0 if none was
     * @param cycle the time from then to the first accepted request after that
     * @param brief whether the event was so short that it says nothing of a length, unless several were alike
     */
    void renewed(double accepted, double refused, double cycle, boolean brief) {
        boolean isSameSize = Math.abs(accepted - sizeBefore) < SIMILAR_SIZE * accepted;
        // A question may have come too late: unless one was refused when it should have ended it is no longer.
        double most = refused < length ? Math.min(cycle, length) : cycle;
        boolean isMuchShorter = refused > 0 && cycleBefore >= SIMILAR_LENGTH * most;
        boolean isSameLength = most < SIMILAR_LENGTH * cycleBefore && !isMuchShorter;
        boolean isAlike = isSameSize && isSameLength;
        boolean isException = alike >= USUAL && !isAlike; // such as another, longer limit
        alike = isAlike ? alike + 1 : 0;
        sent = 1;
        if (isException) {
            return;
        }
        // The longer a refusal locks out, the less often one is worth it.
        int windows = length > 0 ? (int) Math.min(LONGEST_LOCK_OUT, cycle / length) : 1;
        trusted = refused > 0 ? TRIED * Math.max(1, windows) : trusted - 1;
        double round = LONGER * Renewals.longestRound(most);
        least = isSameLength && cycle > least ? Math.max(least, refused) : refused;
        double likely = round > least && round <= most ? round : most;
        length = brief && alike <= USUAL ? 0 : likely;
        size = !brief || isSameSize ? accepted : 0;
        sizeBefore = accepted;
        cycleBefore = most;
    }

    void forget() {
        size = 0;
        length = 0;
        alike = 0; // the next one may still be like the one before
    }
}
