package dev.throttle.lab.estimator;

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
    private double before;

    boolean isGuessed() {
        return size > 0;
    }

    /** {@return whether as many requests have now left as were accepted in the window before} */
    boolean admitted(int permits) {
        boolean before = sent < size;
        sent += permits;
        if (sent > 2 * size) {
            forget(); // it has grown, or there is none
        }
        return before && sent >= size;
    }

    /** {@return the time from the last renewal to the next; 0 if it is not known, or the window is not used up yet} */
    double length(double accepted) {
        return accepted >= 0.9 * size ? length : 0;
    }

    /** A long time of refusals is over. */
    void renewed(double accepted, double cycle, boolean atOnce, boolean brief) {
        // Who finds it renewed at the first look may have come too late: it is no longer than was thought.
        double most = atOnce && length > 0 ? Math.min(cycle, length) : cycle;
        length = brief ? 0 : most * (atOnce ? 0.97 : 1);
        size = !brief || Math.abs(accepted - before) < 0.1 * accepted ? accepted : 0;
        before = accepted;
        sent = 1;
    }

    void forget() {
        size = 0;
        length = 0;
        sent = 0;
    }
}
