package dev.throttle.control.quota;

import java.util.Arrays;

/**
 * What was used by which time: the sum of all units, as a line through points, the finer the newer. Where two points
 * are joined, their units count as used at the later one.
 */
final class History {

    private static final int MOST = 256;
    /** Points may be this share of their age apart. */
    private static final double APART = 0.02;

    private long[] times = {};
    private double[] sums = {};
    private int size;
    private double total;

    /**
     * Adds units.
     *
     * @param now no earlier than before
     * @param oldest for so many nanoseconds points are kept
     */
    void add(double units, long now, long oldest) {
        total += units;
        if (size > 0 && now - times[size - 1] <= 0) { // times grow, or joining could not end
            sums[size - 1] = total;
            return;
        }
        if (size == MOST) { // first without what is too old, then without points near to each other for their age
            for (double apart = 0; size > MOST / 4 * 3; apart = Math.max(APART, 2 * apart)) {
                leaveOut(now, oldest, apart);
            }
        } else if (size == times.length) {
            times = Arrays.copyOf(times, Math.max(8, 2 * size));
            sums = Arrays.copyOf(sums, times.length);
        }
        times[size] = now;
        sums[size++] = total;
    }

    /** Takes units back that were added at a time. */
    void remove(double units, long at) {
        total = Math.max(0, total - units);
        for (int i = last(at - 1) + 1; i < size; i++) {
            sums[i] = Math.max(0, sums[i] - units);
        }
    }

    /** Leaves out what is too old to matter, and points that are nearer to each other than a share of their age. */
    private void leaveOut(long now, long oldest, double apart) {
        int to = 0;
        for (int i = 0; i < size; i++) {
            long age = now - times[i];
            boolean near = to > 0 && i + 1 < size && times[i + 1] - times[to - 1] < apart * age;
            boolean needed = i + 1 == size || now - times[i + 1] <= oldest * (1 + 2 * apart);
            if (!near && needed) {
                times[to] = times[i];
                sums[to++] = sums[i];
            }
        }
        size = to;
    }

    /** {@return the index of the last point at or before a time; -1 if there is none} */
    int last(long time) {
        int from = 0;
        int to = size;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (times[middle] - time <= 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from - 1;
    }

    /** {@return what was used after a point; all after -1, and nothing after the last one} */
    double since(int point) {
        return total - sum(point);
    }

    private double sum(int point) {
        return point < 0 ? 0 : point < size ? sums[point] : total;
    }

    /**
     * {@return when no more than so many units are in use}
     *
     * @param window for how many nanoseconds a unit is in use
     */
    long whenLeft(double units, long window, long now) {
        double gone = total - units;
        int at = last(now - window);
        if (gone <= sum(at)) {
            return now;
        }
        while (++at < size) {
            if (sums[at] >= gone) {
                return times[at] + window;
            }
        }
        return now + window;
    }
}
