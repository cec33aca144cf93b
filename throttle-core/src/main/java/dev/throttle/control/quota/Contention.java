package dev.throttle.control.quota;

/**
 * How much of a window is handed out evenly where its clients need all of it, window after window.
 *
 * <pre>
 *   reserve  =  usual + (1 - usual) * min(1, 2 * own part) * (1 - 2 ^ -windows)
 * </pre>
 *
 * <p>The usual reserve leaves most of a window to the client that asks first, such as the one that has begun it: others
 * learn of a new window later, by up to a second where resets are whole seconds. So each window in which this client
 * had to wait for long brings the line nearer to one that hands out all of the window evenly. It does so for clients
 * that get much. A client that gets less than others has a lower line, and gets more. A job that fits in a window waits
 * for nothing, since the first windows have the usual line.
 *
 * <p>Others may not keep to any line. They show where the count is far below it while the window is young. Then the
 * usual line is the better one.
 */
final class Contention {

    /** Waiting for so much of a window is long. */
    private static final double LONG = 0.25;
    /** A client with a smaller part has the usual line: in a crowd the part is too uncertain. */
    private static final double SMALL = 1.0 / 16;
    /** More windows make no difference. */
    private static final int MOST = 5;
    /** After so many windows it is tried again beside those who do not keep to a line. */
    private static final int REMEMBERED = 16;

    /** How many windows were scarce, less those that were not; below zero while others keep to no line. */
    private int windows;
    /** For how long at a time the line held this client back in this window, at most, in seconds. */
    private double longest;
    /** Its part of the window before. */
    private double before;

    /** The line has held this client back for so many seconds. */
    void held(double seconds) {
        longest = Math.max(longest, seconds);
    }

    /**
     * A window begins.
     *
     * @param length the length of a window in seconds
     * @param part the own part of what was used of that one
     */
    void begin(double length, double part) {
        boolean isScarce = longest > LONG * length;
        windows = windows < 0 || isScarce ? Math.min(MOST, windows + 1) : Math.max(0, windows - 1);
        longest = 0;
        before = part;
    }

    /** No others are seen, or it is not known when the window ends. */
    void clear() {
        windows = 0;
        longest = 0;
    }

    /** Others take what the line should leave. */
    void ignored() {
        windows = windows > 0 ? -REMEMBERED : windows;
    }

    /** {@return whether more than one window was scarce, so that the lines of all have about the same height} */
    boolean isSettled() {
        return windows > 1;
    }

    /**
     * {@return the reserve as a share of the window}
     *
     * @param usual what it is if the window is not scarce
     * @param used how much of this window is used, from 0 to 1
     * @param part the own part of that
     */
    double reserve(double usual, double used, double part) {
        double own = used * part + (1 - used) * before;
        if (windows <= 0 || own < SMALL) {
            return usual;
        }
        return usual + (1 - usual) * Math.min(1, 2 * own) * (1 - 1.0 / (1 << windows));
    }
}
