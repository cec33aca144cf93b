package dev.throttle.control.quota;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A quota that is renewed at fixed times, seen as a bucket that is refilled all the time: what may be used now is what
 * remains, less what the rest of the window needs. The line that the plan draws is the same for all clients, so nobody
 * starves alone.
 *
 * <p>A reset that moves on before it is reached is none, and neither is one that is followed by the next too soon: they
 * belong to a rolling quota.
 */
final class WindowPlan {

    /** Headers count in whole seconds, and answers take their time. */
    private static final double TOLERANCE_SECONDS = 1.6;
    /** A reset that stands still for so long is one. */
    private static final double CONFIRM_SECONDS = 3;
    /** So near its end a window that is not known to be one is not worth a plan, and one that is as short never is. */
    private static final double SHORTEST_SECONDS = 5;
    /** A later reset is of no use to a pace. */
    private static final double LONGEST_SECONDS = 86_400;
    /** A count that rises by this share of the limit has been renewed. */
    private static final double RENEWED_SHARE = 0.25;
    /** After a reset the next one is so much of the longest one away, or else single requests expire one by one. */
    private static final double WHOLE_SHARE = 0.7;

    private enum Kind {
        UNKNOWN,
        FIXED,
        ROLLING
    }

    private final double burstShare;
    private Kind kind = Kind.UNKNOWN;
    private boolean renewedOnce;
    private double longestReset;
    private @Nullable Long limitSeen;
    private boolean resetKnown;
    private long resetAt;
    private long resetSeenAt;
    /** Requests per second that make the quota last; 0 for no plan. */
    private double rate;

    WindowPlan(double burstShare) {
        this.burstShare = burstShare;
    }

    boolean isFixed() {
        return kind == Kind.FIXED && longestReset >= SHORTEST_SECONDS;
    }

    /** {@return whether the count of a fixed window was seen to rise at its reset} */
    boolean isRenewed() {
        return renewedOnce && isFixed();
    }

    boolean hasPlan() {
        return isFixed() && rate > 0;
    }

    /** {@return seconds until the quota is renewed; 0 or less if that is over or not known} */
    double secondsLeft(long now) {
        return resetKnown ? (resetAt - now) / 1e9 : 0;
    }

    /**
     * {@return what of a remaining count may be used now; negative if others have used more than the plan}
     *
     * @param remaining what remains
     * @param before what remained at the answer before; NaN if unknown
     * @param reset seconds until the reset; NaN if unknown
     * @param limit the limit or null
     * @param spare what a client that is limited already keeps out of the plan of a new window; NaN if it is not
     *     limited
     */
    double usable(double remaining, double before, double reset, @Nullable Long limit, double spare, long now) {
        if (!(reset > 0 && reset < LONGEST_SECONDS)) {
            return remaining;
        }
        long at = now + (long) (reset * 1e9);
        if (!resetKnown || Math.abs((at - resetAt) / 1e9) > TOLERANCE_SECONDS) {
            moved(at, remaining, before, reset, limit, spare, now);
        } else if (kind == Kind.UNKNOWN && (now - resetSeenAt) / 1e9 > CONFIRM_SECONDS) {
            kind = Kind.FIXED;
        }
        if (kind == Kind.ROLLING || rate == 0 || longestReset < SHORTEST_SECONDS) {
            return remaining;
        }
        rate = Math.min(rate, remaining / reset);
        return remaining - rate * reset;
    }

    private void moved(
            long at, double remaining, double before, double reset, @Nullable Long limit, double spare, long now) {
        boolean first = !resetKnown || !Objects.equals(limit, limitSeen);
        if (first) { // or another policy has become the scarcest
            kind = Kind.UNKNOWN;
            renewedOnce = false;
            longestReset = 0;
            limitSeen = limit;
        } else {
            judge(remaining - before, before, reset, limit, now);
        }
        longestReset = Math.max(longestReset, reset);
        resetKnown = true;
        resetAt = at;
        resetSeenAt = now;
        if (first || kind == Kind.FIXED) {
            boolean tooLate = reset < SHORTEST_SECONDS && kind != Kind.FIXED;
            double kept = Double.isNaN(spare) ? burstShare * remaining : Math.min(remaining, spare);
            rate = tooLate ? 0 : (remaining - kept) / reset;
        } else if (kind == Kind.UNKNOWN) {
            rate = 0;
        }
    }

    private void judge(double risen, double before, double reset, @Nullable Long limit, long now) {
        double late = (now - resetAt) / 1e9;
        boolean over = late >= -TOLERANCE_SECONDS;
        boolean whole = reset + Math.max(0, late) >= WHOLE_SHARE * longestReset;
        if (!over || !whole) {
            kind = Kind.ROLLING;
        } else if (risen >= (limit == null ? before + 2 : RENEWED_SHARE * limit)) {
            renewedOnce = true;
            kind = Kind.FIXED;
        }
    }
}
