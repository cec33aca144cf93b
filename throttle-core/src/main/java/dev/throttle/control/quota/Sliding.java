package dev.throttle.control.quota;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import java.util.Arrays;

/**
 * The hypothesis that a quota is a sliding window: what was used comes back one window later.
 *
 * <pre>
 *   count  +  own use of the last window  +  that of others  =  size
 * </pre>
 *
 * <p>Each usual length keeps the bounds of its size that follow from all counts, as far as this client is the only one.
 * Where the bounds cross, the length is wrong, or others are there. A length is believed whose bounds have not crossed
 * for half of a window if the server tells the size, or else for a whole one in which the count moved. From then on it
 * is known when each own request comes back, and what others hold.
 */
final class Sliding {

    /** The usual lengths in seconds, and in nanoseconds. */
    private static final double[] USUAL = {1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600};

    private static final long[] NANOS =
            Arrays.stream(USUAL).mapToLong(Nanos::ofSeconds).toArray();

    private static final int POINTS = 256;
    /** Points of the history may be this share of their age apart. */
    private static final double APART = 0.02;
    /** By so much counts may be off. */
    private static final int SLACK = 2;
    /** A window of so few times the error of a count is not recognised. */
    private static final int ERRORS = 8;
    /** What is kept for others never comes back, so it is no more than they need to be noticed. */
    private static final int KEPT = SLACK + 1;

    private static final int NONE = -1;
    /** Not the index of a point. */
    private static final int UNKNOWN = -2;

    /** What had been served by which time, the finer the newer. */
    private long[] times = {};

    private double[] sums = {};
    private int points;
    private double served;

    private double[] low = {};
    private double[] high = {};
    private double[] least = {};
    private double[] most = {};
    private long[] since = {};
    /** For each length the last point before its window, as it was found last: it only moves on. */
    private int[] before = {};

    private int believed = NONE;
    private double size;
    private long beganAt;

    void begin(long now) {
        points = 0;
        served = 0;
        beganAt = now;
        believed = NONE;
        low = new double[0];
    }

    boolean isKnown() {
        return believed != NONE;
    }

    double size() {
        return size;
    }

    double seconds() {
        return USUAL[believed];
    }

    /** {@return its length, and how much of it is in use, in words} */
    String explain(long now) {
        return "sliding window of " + DurationText.spoken(seconds()) + ": " + (long) own(now) + " of " + (long) size
                + " are in use";
    }

    /** Called when a request was refused. With a known window that does not happen, so the window was wrong. */
    void refused() {
        if (believed != NONE) {
            believed = NONE;
            low = new double[0];
        }
    }

    /** Own units have been answered and not refused. */
    void served(double units, long now) {
        served += units;
        if (points > 0 && now - times[points - 1] <= 0) { // times grow, or merging could not end
            sums[points - 1] = served;
            return;
        }
        if (points == POINTS) {
            merge(now);
        } else if (points == times.length) {
            int length = Math.max(8, 2 * points);
            times = Arrays.copyOf(times, length);
            sums = Arrays.copyOf(sums, length);
        }
        times[points] = now;
        sums[points++] = served;
    }

    /** Leaves out what is too old to matter, and points that are near to each other for their age. */
    private void merge(long now) {
        long oldest = NANOS[believed == NONE ? USUAL.length - 1 : believed];
        for (double apart = APART; points > POINTS / 4 * 3; apart *= 2) {
            int to = 0;
            for (int i = 0; i < points; i++) {
                long age = now - times[i];
                boolean near = to > 0 && i + 1 < points && times[i + 1] - times[to - 1] < apart * age;
                boolean needed = i + 1 == points || now - times[i + 1] <= oldest * (1 + 2 * apart);
                if (!near && needed) {
                    times[to] = times[i];
                    sums[to++] = sums[i];
                }
            }
            points = to;
        }
        Arrays.fill(before, UNKNOWN);
    }

    /** {@return the last point at or before a time; -1 if there is none} */
    private int last(long time) {
        int from = 0;
        int to = points;
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

    /** {@return the last point before a window of a usual length, as {@link #last} does, from where it was before} */
    private int before(int length, long time) {
        int at = before[length];
        if (at == UNKNOWN || (at >= 0 && times[at] - time > 0)) {
            at = last(time);
        }
        while (at + 1 < points && times[at + 1] - time <= 0) {
            at++;
        }
        before[length] = at;
        return at;
    }

    private double sum(int at) {
        return at < 0 ? 0 : at < points ? sums[at] : served;
    }

    /**
     * Reads a count; {@return what others hold of the window at least, if that is known, or 0}
     *
     * @param told the size as the server told it; NaN if it did not
     * @param wire how many own requests may have been counted already
     */
    double correct(double count, double told, double wire, long now) {
        if (believed != NONE) {
            size = told > 0 ? told : size;
            int at = last(now - NANOS[believed]);
            double lower = count + served - sum(at + 1);
            double upper = count + served - sum(at) + wire;
            if (lower > size + SLACK + wire) {
                believed = NONE;
                low = new double[0];
                return 0;
            }
            return Math.max(0, size - SLACK - upper);
        }
        double elapsed = (now - beganAt) / 1e9;
        if (elapsed < USUAL[0]) {
            return 0;
        }
        if (low.length == 0) {
            low = new double[USUAL.length];
            high = new double[USUAL.length];
            least = new double[USUAL.length];
            most = new double[USUAL.length];
            since = new long[USUAL.length];
            before = new int[USUAL.length];
            Arrays.fill(high, Double.NaN);
            Arrays.fill(before, UNKNOWN);
        }
        int best = NONE;
        int longest = USUAL.length - 1;
        while (USUAL[longest] > elapsed) {
            longest--;
        }
        for (int i = longest; i >= 0 && tells(i, count, wire, now); i--) {
            if (look(i, count, told, wire, now) && (best == NONE || since[i] - since[best] <= 0)) {
                best = i;
            }
        }
        believed = best;
        size = best == NONE ? 0 : told > 0 ? told : low[best];
        return 0;
    }

    /** {@return whether a count may tell something of a length; if it does not, it tells nothing of shorter ones} */
    private boolean tells(int i, double count, double wire, long now) {
        double used = served - sum(before(i, now - NANOS[i]));
        return used >= count && count + used >= ERRORS * (SLACK + wire);
    }

    /** {@return whether a length is believed} */
    private boolean look(int i, double count, double told, double wire, long now) {
        int at = before[i];
        double used = served - sum(at);
        double unsure = sum(at + 1) - sum(at);
        double error = SLACK + wire;
        if (ERRORS * (error + unsure) > count + used) {
            return false; // it tells nothing
        }
        double lower = count + used - unsure;
        double upper = count + used + wire;
        boolean fresh = Double.isNaN(high[i]);
        low[i] = fresh ? lower : Math.max(low[i], lower);
        high[i] = fresh ? upper : Math.min(high[i], upper);
        least[i] = fresh ? count : Math.min(least[i], count);
        most[i] = fresh ? count : Math.max(most[i], count);
        since[i] = fresh ? now : since[i];
        boolean fits = told > 0 ? lower <= told + error && upper >= told - SLACK : low[i] <= high[i] + 2 * SLACK;
        if (!fits) {
            high[i] = Double.NaN;
            return false;
        }
        boolean isOld = now - since[i] >= Nanos.ofSeconds(told > 0 ? USUAL[i] / 2 : USUAL[i]);
        boolean moved = most[i] - least[i] >= (told > 0 ? ERRORS / 2 : ERRORS) * SLACK + 2 * wire;
        if (isOld && !moved) { // nothing was shown: where all have found their pace, every sum stays the same
            since[i] = now;
            least[i] = count;
            most[i] = count;
        }
        return isOld && moved;
    }

    /** {@return what own requests hold of the window} */
    double own(long now) {
        return served - sum(last(now - NANOS[believed]));
    }

    /** {@return when so many units may be in use besides those that were served by now} */
    long dueNanos(double more, long now) {
        long window = NANOS[believed];
        double back = served + Math.min(more, size - KEPT) + KEPT - size;
        int at = last(now - window);
        if (back <= sum(at)) {
            return now;
        }
        while (++at < points) {
            if (sums[at] >= back) {
                return times[at] + window;
            }
        }
        return now + window;
    }
}
