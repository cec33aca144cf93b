package dev.throttle.control.quota;

import dev.throttle.internal.Nanos;

/**
 * When a fixed window ends about which the server tells nothing but what remains. A count that only falls and then
 * jumps up by a half of what was used, at least, was renewed: after the last request that saw the old window, and
 * before the answer from the new one. A {@code Retry-After} says it more exactly. The length of a window is the
 * roundest time that fits: a count that does not rise when it should makes it longer, one that rises before makes it
 * shorter. If a request that leaves when the window should be over still finds it, windows may begin with the first
 * request after the last one has ended. From then on each one begins with its first answer. A count that rises little
 * by little is no window, and ends the search.
 *
 * <p>All times are the latest possible ones, since a request that is too early is refused.
 */
final class Renewals {

    private static final double[] ROUND = {
        1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400
    };

    /** So many counts have to fall in a row, at least, before a jump is believed. */
    private static final int FALLS = 8;

    /** A window that has not ended when it should have lasts so many times as long as it was seen. */
    private static final double LATE = 1.05;

    /** By how many seconds a {@code Retry-After} may be too long. */
    private static final double TOLD = 2;

    /** A {@code Retry-After} of more seconds is not about a window. */
    private static final double LONGEST_TOLD = 86_400;

    private final Tuning tuning;

    private boolean rolling;
    private double highest;
    /** The lowest count of the present window; NaN before the first one. */
    private double lowest = Double.NaN;

    private int falls;
    /** When the answer came that told the lowest count. */
    private long lowestAt;
    /** When the last request left that saw the present window. */
    private long seenAt;
    /** The present window began between these two times. */
    private long earliest;

    private long latest;
    /** When the first answer of the present window came. */
    private long answeredAt;
    /** Whether windows begin with their first request. */
    private boolean byRequest;
    /** How long a window is at least and at most, in seconds; NaN before the first renewal. */
    private double shortest = Double.NaN;

    private double longest = Double.POSITIVE_INFINITY;
    /** When it ends at the latest, as a refusal has told; before it was seen if none has. */
    private long toldAt;

    Renewals(Tuning tuning) {
        this.tuning = tuning;
    }

    /**
     * Reads a count; {@return whether it is the first one of a new window}
     *
     * @param retryAfter what a refusal asked to wait, in seconds; NaN if nothing
     */
    boolean read(double count, boolean refused, double retryAfter, long admittedAt, long now) {
        boolean rises = (count > lowest || (count == highest && !isFound())) && admittedAt - lowestAt >= 0;
        rolling |= rises && count - lowest < tuning.renewedShare * (highest - lowest);
        if (rolling) {
            return false;
        }
        if (Double.isNaN(lowest)) {
            beganBetween(now, now);
            highest = count;
            begin(count, admittedAt, now);
            return false;
        }
        boolean renewed = false;
        if (rises) {
            if (falls >= FALLS) {
                renewed = true;
                renew(now);
            } else if (!isFound() || count >= highest) { // too few to prove anything, but this is where it begins
                renewed = isFound();
                beganBetween(seenAt, now);
            }
            begin(count, admittedAt, now);
        } else if (count < lowest) {
            lowest = count;
            lowestAt = now;
            falls++;
        }
        seenAt = Nanos.later(seenAt, admittedAt);
        if (isFound() && !renewed && count <= lowest && seenAt - end() >= 0) {
            late();
        }
        highest = Math.max(highest, count);
        if (refused && retryAfter > 0 && retryAfter <= LONGEST_TOLD && lowest < 1) {
            toldAt = now + (long) (retryAfter * 1e9);
            seenAt = Nanos.later(seenAt, toldAt - (long) (TOLD * 1e9));
        }
        return renewed;
    }

    private void begin(double count, long admittedAt, long now) {
        lowest = count;
        lowestAt = now;
        answeredAt = now;
        seenAt = admittedAt;
        falls = 0;
        toldAt = admittedAt - 1;
    }

    private void beganBetween(long from, long to) {
        earliest = from;
        latest = to;
    }

    /** Called when the window should have ended, and either has not, or its end could not be seen. */
    private void late() {
        if (falls >= FALLS && answeredAt - latest > 0 && seen() <= LATE * length()) {
            byRequest = true;
            latest = answeredAt;
        } else if (falls >= FALLS) {
            byRequest = false; // the length was wrong
            shortest = Math.max(shortest, seen());
            longest = Math.max(longest, LATE * shortest); // or each call would ask at once
        } else {
            pass((long) (seen() / length() + 1e-6), seenAt);
        }
    }

    /** {@return for how many seconds the present window has been seen, at least} */
    private double seen() {
        return Math.max(0, (seenAt - latest) / 1e9);
    }

    private void pass(long windows, long now) {
        long nanos = (long) (windows * length() * 1e9);
        earliest += nanos;
        latest = latest + nanos - now < 0 ? latest + nanos : now;
    }

    private void renew(long now) {
        long to = toldAt - seenAt >= 0 && toldAt - now < 0 ? toldAt : now;
        long windows = 0;
        if (!isFound()) {
            shortest = seen();
        } else {
            windows = (long) ((to - latest) / 1e9 / length() + 1e-6);
            if (windows <= 1) { // after several windows at once, half of the length would fit as well
                longest = Math.min(longest, (to - earliest) / 1e9);
                shortest = Math.min(Math.max(shortest, seen()), longest);
            }
        }
        if (byRequest) {
            beganBetween(seenAt, now);
        } else if (windows >= 1) {
            pass(windows, to);
            earliest = Nanos.later(earliest, seenAt);
        } else {
            beganBetween(seenAt, to);
        }
    }

    private boolean isFound() {
        return !Double.isNaN(shortest);
    }

    /** {@return the length of a window in seconds} */
    double length() {
        double round = nextRound(shortest - 0.001);
        return round < Double.POSITIVE_INFINITY ? Math.min(round, longest) : shortest;
    }

    /** {@return the longest usual length of a window that is shorter than a time, in seconds; 0 if none is} */
    static double longestRound(double seconds) {
        double longest = 0;
        for (double round : ROUND) {
            longest = round < seconds ? round : longest;
        }
        return longest;
    }

    /** {@return the shortest usual length of a window that is longer than a time, in seconds; infinite if none is} */
    static double nextRound(double seconds) {
        for (double round : ROUND) {
            if (round > seconds) {
                return round;
            }
        }
        return Double.POSITIVE_INFINITY;
    }

    private long end() {
        return latest + (long) (length() * 1e9);
    }

    /** {@return whether the count has risen little by little, so that it is no window} */
    boolean isRolling() {
        return rolling;
    }

    /** {@return seconds until the window ends at the latest; NaN if that is not known} */
    double reset(long now) {
        return rolling || !isFound() ? Double.NaN : Math.max(0, (end() - now) / 1e9);
    }
}
