package dev.throttle.control.quota;

/**
 * The size and the length of a window that no header tells of: what was accepted from one renewal to the next, and the
 * time between them. Two alike in a row make it sure: from then on its end is awaited without a refusal, but for a
 * trial now and then whether more fits. After three alike ones, one that differs is left out, and two are believed.
 *
 * <p>A renewal is found by asking, so it was between the last refusal and the first accepted request. If one of the
 * usual lengths of windows is between these two, it is believed. Any other length is found by halving what is possible.
 * A server may also lock out who asks for too much, for longer than its window lasts. That shows once a window is
 * waited for without a refusal, and a question in the middle of it is accepted.
 *
 * <p>Times are in seconds.
 */
final class GuessedWindow {

    /**
     * It is tried whether more fits after so many windows, times the number of windows that the last trial has cost:
     * the limit may have grown.
     */
    private static final int TRIED = 7;
    /** A trial is taken to cost no more windows than this: there may have been nothing to send. */
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
    /** How many more windows there are until it is tried whether more fits. */
    private int untilTrial;

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
        return length > 0 && alike > 0 && untilTrial > 0;
    }

    /** {@return the time from one renewal to the next; 0 if it is not known} */
    double length() {
        return length;
    }

    /** {@return whether half of the length may be enough, since nothing was refused after that} */
    boolean mayBeMuchShorter() {
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
     * A window has ended: a request was accepted after refusals, or after a wait without one.
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
        // A question before the end that was accepted has shown that it is shorter, however much.
        boolean isSameLength =
                most < SIMILAR_LENGTH * cycleBefore && (refused == 0 || cycleBefore < SIMILAR_LENGTH * most);
        boolean isAlike = isSameSize && isSameLength;
        boolean isException = alike >= USUAL && !isAlike; // such as another, longer limit
        int cost = length > 0 ? (int) Math.min(LONGEST_LOCK_OUT, cycle / length) : 1;
        untilTrial = isSure() ? untilTrial - 1 : TRIED * Math.max(1, cost);
        alike = isAlike ? alike + 1 : 0;
        sent = 1;
        if (isException) {
            return;
        }
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
