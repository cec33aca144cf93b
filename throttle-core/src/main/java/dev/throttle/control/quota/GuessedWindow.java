package dev.throttle.control.quota;

/**
 * The size and the length of a window that no header tells of: what was accepted from one renewal to the next, and the
 * time between them.
 *
 * <p>Times are in seconds.
 */
final class GuessedWindow {

    private double size;
    private double length;
    private double sent;
    private double sizeBefore;

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

    /** {@return the time from the last renewal to the next; 0 if it is not known, or the window is not used up yet} */
    double length(double accepted) {
        return accepted >= 0.9 * size ? length : 0;
    }

    /**
     * An event of refusals is over.
     *
     * @param accepted how many requests were accepted since the last one
     * @param cycle the time since then
     * @param atOnce whether the first probe was accepted, when the window was expected to be renewed
     * @param brief whether the event was so short that it says nothing of a length
     */
    void renewed(double accepted, double cycle, boolean atOnce, boolean brief) {
        // The first probe may have come too late: the window is no longer than was thought.
        double most = atOnce && length > 0 ? Math.min(cycle, length) : cycle;
        length = brief ? 0 : most * (atOnce ? 0.97 : 1);
        size = !brief || Math.abs(accepted - sizeBefore) < 0.1 * accepted ? accepted : 0;
        sizeBefore = accepted;
        sent = 1;
    }

    void forget() {
        size = 0;
        length = 0;
        sent = 0;
    }
}
