package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * What others keep using of a fixed window, in units per second: the mean of this window, begun with that of the one
 * before. If they used less than half of it of late, that counts instead, so a job that has ended is soon forgotten.
 */
final class SteadyUse {

    /** What is of late: a twentieth of a window at least, two at most. The window before counts as much. */
    private static final double LATE = 0.05;
    /** So many standard deviations more than what was seen are kept: what is kept in vain is used later. */
    private static final double MARGIN = 3;

    private double window;
    /** What others have used of this window, and what they have certainly used. */
    private double used;

    private double least;
    /** The mean is counted from here; what they used of the window before is below zero. */
    private double usedAtStart;

    private long startedAt;
    /** What is of late is counted from here. */
    private double usedBefore;

    private long beforeAt;
    /** And from here after another twentieth of a window. */
    private double usedNext;

    private long nextAt;

    /**
     * A window begins.
     *
     * @param length how long it is in seconds
     * @param follows whether it follows the one before, of which the mean is kept
     */
    void begin(double length, boolean follows, long now) {
        double seconds = follows ? LATE * length : 0;
        usedAtStart = -perSecond(usedAtStart, startedAt, now) * seconds;
        startedAt = now - Nanos.ofSeconds(seconds);
        usedBefore = usedAtStart;
        beforeAt = startedAt;
        window = length;
        used = 0;
        least = 0;
        usedNext = 0;
        nextAt = now;
    }

    /** Others have certainly used so many units of this window, and probably so many. */
    void read(double certain, double likely, long now) {
        least = Math.max(least, certain);
        used = Math.max(least, likely);
        if ((now - nextAt) / 1e9 >= LATE * window) {
            usedBefore = usedNext;
            beforeAt = nextAt;
            usedNext = used;
            nextAt = now;
        }
    }

    private double perSecond(double from, long at, long now) {
        return Math.max(0, used - from) / Math.max(1e-3, (now - at) / 1e9);
    }

    /** {@return units per second that others will keep using} */
    double perSecond(long now) {
        double mean = perSecond(usedAtStart, startedAt, now);
        double lately = perSecond(usedBefore, beforeAt, now);
        return lately < 0.5 * mean ? lately : mean;
    }

    /**
     * {@return what is left for them, in units per second: what they keep using, up to a half of the window}
     *
     * @param all what all have used of this window; nothing is left for others who have used nearly as much as this
     *     client
     */
    double kept(double all, double limit, long now) {
        double each = perSecond(now) * (1 + MARGIN / Math.sqrt(Math.max(1, used)));
        boolean less = all - used > 1.5 * used;
        return less ? Math.min(each, 0.5 * limit / Math.max(1e-3, window)) : 0;
    }
}
