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
 * Where the bounds cross, the length is wrong, or others are there. Of all lengths, the one whose bounds have not
 * crossed for longest is believed once that is half of a window, if the server tells the size, or else a whole one. The
 * count has to move meanwhile. Each time that a length was wrong, the next one has to fit for twice as long.
 *
 * <p>A client at a steady pace may use too little to show a length. Where the size is told, and own use and the count
 * have been together that size for as long, it may be the only one and should go faster: if it is, that shows.
 *
 * <p>From then on it is known when each own request comes back, and what others hold. A busy client leaves them that
 * and a little more, so that they can find a pace. While others seem to hold something, longer lengths are looked at
 * again: it may be what this client holds of a longer window.
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
    /** Where the size is told, so few times what requests on the wire may add to that error. */
    private static final int ERRORS_IF_TOLD = 2;
    /** Where more than this share of the size is left, own use may be too little to tell the length. */
    private static final double MUCH = 0.4;
    /**
     * What is kept for others besides what they hold, as a share of the size, and at most. With less, a client that
     * asks for little waits for minutes beside a busy one. What is kept never comes back.
     */
    private static final double KEPT = 0.15;

    private static final int MOST_KEPT = 6;

    /** Each time that a length was wrong, the next one has to fit for twice as long, up to so many times. */
    private static final int MOST_REFUTED = 3;

    /** A server gives back what was used by so much later, as a share of the window: its timers are not exact. */
    private static final double LATE = 0.01;

    private static final int NONE = -1;

    private final History served = new History();

    /** The bounds of the size for each length, the upper one NaN if it does not fit. */
    private final double[] low = new double[USUAL.length];

    private final double[] high = new double[USUAL.length];
    /** Since when it fits while the count moves, and the bounds of the count since then. */
    private final long[] since = new long[USUAL.length];

    private final double[] least = new double[USUAL.length];
    private final double[] most = new double[USUAL.length];

    private int believed = NONE;
    /** The longest length that fits if none was wrong so far, and the size is told. */
    private int likely = NONE;

    /** How often a length has turned out to be wrong; {@link #MOST_REFUTED} at most. */
    private int refuted;

    private double size;
    /** What others hold of it, within the bounds that the last counts have set. */
    private double held;
    /** What the last count and own requests do not account for: others hold no more. */
    private double unaccounted;

    private final long beganAt;
    /** Whether the last count has shown which length it has. */
    private boolean found;
    /** A length in which own use and the count are together the size that is told, and since when that is so. */
    private int fitting = NONE;

    private long fittingSince;

    /**
     * Begins with the first answer. Where the size is told, the time counts from when its request left, since the
     * oldest unit comes back before a window has passed since a late answer. The sum would show what was used before.
     */
    Sliding(Reading first) {
        beganAt = first.limit > 0 ? first.admittedAt : first.now;
        Arrays.fill(high, Double.NaN);
    }

    boolean isKnown() {
        return believed != NONE;
    }

    /**
     * {@return whether the last count has shown which length it has: others have used the same for a while, if
     * anything}
     */
    boolean isFound() {
        return found;
    }

    /**
     * {@return whether this client may be the only one of a window whose size is told, and uses too little to show it}
     * At a steady pace much else looks the same. When it uses more, only a sliding window does.
     */
    boolean mayBeAlone(Reading r) {
        return fitting != NONE && r.now - fittingSince >= enough(fitting, r) && r.count > MUCH * r.limit;
    }

    /** {@return whether it is known, and the last count and own requests account for all of it} */
    boolean isAccountedFor() {
        return isKnown() && unaccounted <= SLACK; // those on the wire may have been counted, or not yet
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
        if (isKnown()) {
            refute();
        }
    }

    private void refute() {
        believed = NONE;
        likely = NONE;
        fitting = NONE;
        Arrays.fill(high, Double.NaN);
        refuted = Math.min(MOST_REFUTED, refuted + 1);
    }

    /** Own units have been answered and not refused. */
    void served(double units, long now) {
        served.add(units, now, NANOS[believed == NONE ? USUAL.length - 1 : believed]);
    }

    /**
     * Reads a count; {@return what others hold of the window at least, if that is known, or 0}
     *
     * @param wire how many own requests may have been counted already
     */
    double correct(Reading r, double wire) {
        if (r.isRefused() && likely != NONE) {
            refute();
        }
        size = r.limit > 0 ? r.limit : size;
        double others = isKnown() ? account(r, wire) : 0;
        found = false;
        if (!isKnown() || others > 0) {
            find(r, wire);
        } else {
            Arrays.fill(high, Double.NaN);
        }
        return found ? 0 : others;
    }

    /**
     * Finds what others hold at least. The server told the count after the request left, and before it was answered.
     */
    private double account(Reading r, double wire) {
        double lower = r.count + served.since(served.last(r.now - NANOS[believed]) + 1);
        double upper = r.count + served.since(served.last(r.admittedAt - NANOS[believed])) + wire;
        if (lower > size + SLACK + wire) {
            refute();
            return 0;
        }
        unaccounted = size - lower;
        held = Math.max(0, Math.max(size - upper, Math.min(unaccounted, held)));
        return Math.max(0, size - SLACK - upper);
    }

    private void find(Reading r, double wire) {
        int longest = USUAL.length - 1;
        while (longest >= 0 && NANOS[longest] > r.now - beganAt) {
            longest--;
        }
        if (r.limit > 0) {
            findFitting(longest, r, wire);
        }
        int best = NONE;
        likely = NONE;
        boolean mayGuess = !isKnown() && refuted == 0 && r.limit > 0 && !(r.length > 0);
        for (int i = longest; i > believed; i--) {
            int at = served.last(r.now - NANOS[i]);
            if (!tells(served.since(at), wire, r)) {
                break; // nor of shorter ones
            }
            if (isPossible(i, r) && fits(i, at, wire, r)) {
                likely = mayGuess && likely == NONE ? i : likely;
                best = best == NONE || since[i] - since[best] <= 0 ? i : best;
            }
        }
        if (best != NONE && isProven(best, wire, r)) {
            found = true;
            believed = best;
            fitting = NONE;
            size = r.limit > 0 ? size : low[best];
            Arrays.fill(high, Double.NaN);
            unaccounted = 0; // as far as a length can tell that fits
            held = 0;
        }
    }

    /** Looks whether own use and the count are together what is told, in the same length as before or in another. */
    private void findFitting(int longest, Reading r, double wire) {
        for (int i = fitting == NONE ? longest : fitting; i >= 0; i--) {
            int at = served.last(r.now - NANOS[i]);
            double used = served.since(at);
            double lower = r.count + served.since(at + 1);
            double upper = r.count + used + wire;
            if (used < ERRORS_IF_TOLD * (SLACK + upper - lower) || r.count + used < ERRORS * SLACK) {
                fitting = used < ERRORS_IF_TOLD * SLACK ? NONE : fitting;
                return;
            }
            if (isPossible(i, r) && isTold(lower, upper, wire, r)) {
                fittingSince = fitting == i ? fittingSince : r.now;
                fitting = i;
                return;
            }
            fitting = NONE;
        }
    }

    /** {@return whether a count may tell something of a length in which own requests used so much} */
    private static boolean tells(double used, double unsure, Reading r) {
        return used >= r.count && r.count + used >= ERRORS * SLACK + errors(r) * unsure;
    }

    /** {@return whether bounds of a size contain the one that is told} */
    private static boolean isTold(double lower, double upper, double wire, Reading r) {
        return lower <= r.limit + SLACK + wire && upper >= r.limit - SLACK;
    }

    /** {@return whether no other length is told} */
    private static boolean isPossible(int i, Reading r) {
        return !(r.length > 0) || r.length == USUAL[i];
    }

    private static int errors(Reading r) {
        return r.limit > 0 ? ERRORS_IF_TOLD : ERRORS;
    }

    /**
     * {@return whether a length fits a count, and all others since then}
     *
     * @param at the last point before a window of this length
     */
    private boolean fits(int i, int at, double wire, Reading r) {
        double used = served.since(at);
        double lower = r.count + served.since(at + 1);
        double upper = r.count + used + wire;
        if (!tells(used, upper - lower, r)) {
            return false;
        }
        boolean fresh = Double.isNaN(high[i]);
        low[i] = fresh ? lower : Math.max(low[i], lower);
        high[i] = fresh ? upper : Math.min(high[i], upper);
        least[i] = fresh ? r.count : Math.min(least[i], r.count);
        most[i] = fresh ? r.count : Math.max(most[i], r.count);
        since[i] = fresh ? r.now : since[i];
        boolean fits = r.limit > 0 ? isTold(lower, upper, wire, r) : low[i] <= high[i] + 2 * SLACK;
        high[i] = fits ? high[i] : Double.NaN;
        return fits;
    }

    /** {@return whether a length has fitted for so long, while the count moved, that it is believed} */
    private boolean isProven(int i, double wire, Reading r) {
        boolean isOld = r.now - since[i] >= enough(i, r);
        boolean moved = most[i] - least[i] >= errors(r) * SLACK + 2 * wire;
        if (isOld && !moved) { // nothing was shown: where all have found their pace, every sum stays the same
            since[i] = r.now;
            least[i] = r.count;
            most[i] = r.count;
        }
        return isOld && moved;
    }

    /** {@return how long a length has to fit} */
    private long enough(int i, Reading r) {
        return (r.limit > 0 ? NANOS[i] / 2 : NANOS[i]) << refuted;
    }

    /** {@return what own requests hold of the window} */
    double own(long now) {
        return served.since(served.last(now - NANOS[believed]));
    }

    /**
     * {@return in how many seconds a unit comes back if the length is the likely one; infinite if none is} While
     * nothing is left that tells more than waiting for a reset, and costs one refusal if it is wrong.
     */
    double untilBack(long now) {
        if (likely == NONE) {
            return Double.POSITIVE_INFINITY;
        }
        return (served.whenLeft(size - 1, NANOS[likely], now) - now) / 1e9 + LATE * USUAL[likely];
    }

    /**
     * {@return when a request may go}
     *
     * @param ahead units on the wire, and of the requests before it
     * @param asked units that it takes
     */
    long dueNanos(double ahead, double asked, long now) {
        double usable = size - held - Math.min(MOST_KEPT, KEPT * size);
        return served.whenLeft(usable - ahead - Math.min(asked, usable), NANOS[believed], now);
    }
}
