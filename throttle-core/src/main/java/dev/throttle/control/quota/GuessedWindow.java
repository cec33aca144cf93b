package dev.throttle.control.quota;

/**
 * The size and the length of a window that no header tells of: what was accepted from one renewal to the next, and the
 * time between them. Two alike in a row make it sure. After three alike ones, one that differs is left out, and two are
 * believed.
 *
 * <p>Times are in seconds.
 */
final class GuessedWindow {

    /** In every fourth window requests go on until one is refused: the limit may have grown. */
    private static final int TRIED = 4;
    /** After so many that were like the one before, one that differs is left out. */
    private static final int USUAL = 2;
    /** Lengths are alike that differ by no more than this factor, and sizes by this share. */
    private static final double SIMILAR_LENGTH = 1.5;

    private static final double SIMILAR_SIZE = 0.1;

    private double size;
    private double length;
    private double sent;
    private double sizeBefore;
    private double cycleBefore;
    /** How many windows in a row were like the one before. */
    private int alike;

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
        return length > 0 && alike % TRIED > 0;
    }

    /** {@return the time from one renewal to the next; 0 if it is not known} */
    double length() {
        return length;
    }

    /** {@return whether so many accepted requests are about all that fit} */
    boolean isUsedUp(double accepted) {
        return accepted >= (1 - SIMILAR_SIZE) * size;
    }

    /**
     * An event of refusals is over.
     *
     * @param accepted how many requests were accepted since the last one
     * @param cycle the time since then
     * @param atOnce whether the first probe was accepted, when the window was expected to be renewed
     * @param brief whether the event was so short that it says nothing of a length, unless several were alike
     */
    void renewed(double accepted, double cycle, boolean atOnce, boolean brief) {
        boolean isSameSize = Math.abs(accepted - sizeBefore) < SIMILAR_SIZE * accepted;
        boolean isSameLength = cycle < SIMILAR_LENGTH * cycleBefore && cycleBefore < SIMILAR_LENGTH * cycle;
        boolean isAlike = isSameSize && isSameLength;
        boolean isException = alike >= USUAL && !isAlike; // such as another, longer limit
        alike = isAlike ? alike + 1 : 0;
        sent = 1;
        if (isException) {
            return;
        }
        // The first probe may have come too late: the window is no longer than was thought.
        double most = atOnce && length > 0 ? Math.min(cycle, length) : cycle;
        length = brief && alike <= USUAL ? 0 : most * (atOnce ? 0.97 : 1);
        size = !brief || isSameSize ? accepted : 0;
        sizeBefore = accepted;
        cycleBefore = cycle;
    }

    void forget() {
        size = 0;
        length = 0;
        sent = 0;
        alike = 0; // the next one may still be like the one before
    }
}
