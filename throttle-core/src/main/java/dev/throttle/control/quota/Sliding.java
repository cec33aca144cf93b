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

    /** By so much counts may be off. */
    private static final int SLACK = 2;
    /** A window of so few times the error of a count is not recognised. */
    private static final int ERRORS = 8;
    /**
     * What is kept for others, as a share of the size, and at most: then as much as should remain in a shared quota.
     * With less, a client that asks for little waits for minutes beside a busy one. What is kept never comes back.
     */
    private static final double KEPT = 0.1;

    private static final int MOST_KEPT = 8;

    private static final int NONE = -1;

    private final History served = new History();

    private double[] low = {};
    private double[] high = {};
    private double[] least = {};
    private double[] most = {};
    private long[] since = {};

    private int believed = NONE;
    private double size;
    private long beganAt;
    /** Whether the last count and own requests account for all of the window. */
    private boolean accounted;

    void begin(long now) {
        served.clear();
        beganAt = now;
        believed = NONE;
        low = new double[0];
    }

    boolean isKnown() {
        return believed != NONE;
    }

    /** {@return whether it is known, and the last count and own requests account for all of it} */
    boolean isAccountedFor() {
        return isKnown() && accounted;
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
        served.add(units, now, NANOS[believed == NONE ? USUAL.length - 1 : believed]);
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
            int at = served.last(now - NANOS[believed]);
            double lower = count + served.since(at + 1);
            double upper = count + served.since(at) + wire;
            accounted = lower >= size - SLACK; // those on the wire may have been counted, or not yet
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
            Arrays.fill(high, Double.NaN);
        }
        int best = NONE;
        int longest = USUAL.length - 1;
        while (USUAL[longest] > elapsed) {
            longest--;
        }
        for (int i = longest; i >= 0; i--) {
            int at = served.last(now - NANOS[i]);
            if (!tells(served.since(at), count, wire)) {
                break; // nor of shorter ones
            }
            if (look(i, at, count, told, wire, now) && (best == NONE || since[i] - since[best] <= 0)) {
                best = i;
            }
        }
        believed = best;
        accounted = true; // as far as a length can tell that fits
        size = best == NONE ? 0 : told > 0 ? told : low[best];
        return 0;
    }

    /** {@return whether a count may tell something of a length in which own requests used so much} */
    private static boolean tells(double used, double count, double wire) {
        return used >= count && count + used >= ERRORS * (SLACK + wire);
    }

    /**
     * {@return whether a length is believed}
     *
     * @param at the last point before a window of this length
     */
    private boolean look(int i, int at, double count, double told, double wire, long now) {
        double used = served.since(at);
        double unsure = used - served.since(at + 1);
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
        return served.since(served.last(now - NANOS[believed]));
    }

    /** {@return when so many units may be in use besides those that were served by now} */
    long dueNanos(double more, long now) {
        double usable = size - Math.min(MOST_KEPT, KEPT * size);
        return served.whenLeft(usable - Math.min(more, usable), NANOS[believed], now);
    }
}
