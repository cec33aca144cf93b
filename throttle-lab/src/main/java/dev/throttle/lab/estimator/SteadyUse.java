package dev.throttle.lab.estimator;

/**
 * What others keep using of a fixed window, in units per second: the mean of this window, begun with that of the one
 * before. If they used less than half of it of late, that counts instead, so a job that has ended is soon forgotten.
 */
final class SteadyUse {

    /** What is of late: a twentieth of a window at least, two at most. */
    private static final double LATE = 0.05;

    private double average;
    private double seconds;
    private double window;
    private double used;
    private long beganAt;
    private double lateUsed;
    private long lateAt;
    private double laterUsed;
    private long laterAt;
    private boolean late;

    void forget() {
        seconds = 0;
        late = false;
    }

    /**
     * A window begins.
     *
     * @param length how long it is in seconds
     */
    void begin(double length, boolean follows, long now) {
        if (!follows) {
            forget();
        } else {
            average = average(now);
            seconds = LATE * length;
        }
        window = length;
        used = 0;
        beganAt = now;
        lateUsed = 0;
        lateAt = now;
        laterUsed = 0;
        laterAt = now;
        late = false;
    }

    /** Others have used so many units of this window, at least. */
    void read(double units, long now) {
        used = Math.max(used, units);
        if ((now - laterAt) / 1e9 >= LATE * window) {
            lateUsed = laterUsed;
            lateAt = laterAt;
            laterUsed = used;
            laterAt = now;
            late = true;
        }
    }

    private double average(long now) {
        double elapsed = (now - beganAt) / 1e9;
        return (average * seconds + used) / Math.max(1e-3, seconds + elapsed);
    }

    /** {@return units per second that others will keep using} */
    double perSecond(long now) {
        double mean = average(now);
        double lately = late ? (used - lateUsed) / Math.max(1e-3, (now - lateAt) / 1e9) : mean;
        return lately < 0.5 * mean ? lately : mean;
    }

    /**
     * {@return what is left for them, in units per second: what they keep using, up to a half of the window}
     *
     * @param all what all have used of this window; nothing is left for others who have used nearly as much as this
     *     client
     * @param cost units of one request
     */
    double kept(double all, double cost, double limit, long now) {
        double each = perSecond(now) * (1 + 2 / Math.sqrt(Math.max(1, used / cost)));
        boolean less = all - used > 1.5 * used;
        return less ? Math.min(each, 0.5 * limit / Math.max(1e-3, window)) : 0;
    }
}
