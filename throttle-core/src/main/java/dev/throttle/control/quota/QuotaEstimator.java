package dev.throttle.control.quota;

import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the server tells about the scarcest quota of requests, as the law needs it. */
final class QuotaEstimator {

    /** How much of the swing is added to the target: old news needs more room. */
    private static final double SWING_SHARE = 0.3;

    private static final double SWING_WEIGHT = 0.09;
    /**
     * A jump adds no more to the swing than the headroom and this share of the count, and no more than so many
     * headrooms.
     */
    private static final double SWING_CAP = 0.25;

    private static final double MOST_SWING_HEADROOMS = 16;
    /** The largest headroom, as a share of the limit, of a fixed window and of any other quota. */
    private static final double WINDOW_SHARE = 0.1;

    private static final double LIMIT_SHARE = 0.25;
    /** The largest headroom towards the end of a fixed window, as a share of what is left of it. */
    private static final double LEFT_SHARE = 0.125;
    /** After so many answers without a count it is given up. */
    private static final int GIVE_UP_AFTER = 16;
    /** A jump of fewer headrooms than this is always believed. */
    private static final double SLACK_HEADROOMS = 4;

    private final double headroom;
    private final OutlierFilter trust = new OutlierFilter();
    private final WindowPlan plan;

    private double remaining = Double.NaN;
    private double change;
    private double swing;
    private double limit = Double.POSITIVE_INFINITY;
    /** What is left of the quota, the plan not considered. */
    private double left = Double.NaN;
    /** Whether the last reading came with a reset, so that the plan is about it. */
    private boolean planned;

    private @Nullable String policySeen;

    private int answersWithout;
    private double intervalBeforeStuck;

    QuotaEstimator(double headroom, double burstShare) {
        this.headroom = headroom;
        this.plan = new WindowPlan(burstShare);
    }

    /** {@return whether there is nothing to go by but refusals} */
    boolean isBlind() {
        return Double.isNaN(remaining);
    }

    /** {@return requests that may be used now; NaN if unknown} */
    double remaining() {
        return remaining;
    }

    /** {@return by how much {@link #remaining} differs from the answer before; 0 if that is not known} */
    double change() {
        return change;
    }

    /** {@return how much the count moves between two own answers} */
    double swing() {
        return swing;
    }

    /** {@return what should remain: a little when all is calm, more when the count swings} */
    double target() {
        double wanted = headroom + SWING_SHARE * swing;
        double most =
                planned && plan.hasPlan() ? Math.min(WINDOW_SHARE * limit, LEFT_SHARE * left) : LIMIT_SHARE * limit;
        return Math.max(1, Math.min(wanted, most));
    }

    /** {@return seconds until an exhausted fixed window is renewed; 0 if it is not exhausted, or not fixed} */
    double exhaustedSeconds(long now) {
        return planned && left == 0 && plan.isFixed() ? Math.max(0, plan.secondsLeft(now)) : 0;
    }

    /** {@return whether a fixed window was seen to be renewed: then an exhausted one need not be tried} */
    boolean isRenewed() {
        return planned && plan.isRenewed();
    }

    /** {@return the interval to go back to if the count was just found to stand still; else 0} */
    double intervalBeforeStuck() {
        return intervalBeforeStuck;
    }

    /**
     * Reads an answer.
     *
     * @param interval the interval of now, 0 for none
     * @return whether it tells a count that can be used
     */
    boolean read(RateHints hints, boolean refused, double interval, long now) {
        intervalBeforeStuck = 0;
        change = 0;
        Quota quota = hints.scarcest();
        Long units = quota == null ? null : quota.spendable();
        if (quota == null || units == null) {
            if (++answersWithout > GIVE_UP_AFTER) {
                giveUp();
                trust.forget();
            }
            return false;
        }
        answersWithout = 0;
        if (!Objects.equals(quota.policy(), policySeen)) { // another one has become the scarcest
            policySeen = quota.policy();
            limit = Double.POSITIVE_INFINITY;
            trust.forget();
        }
        double count = Math.max(0, units);
        if (refused) {
            trust.refused();
        } else {
            intervalBeforeStuck = trust.checkStuck(count, interval);
        }
        double before = trust.last();
        double slack = quota.reset() == null ? SLACK_HEADROOMS * headroom : Double.POSITIVE_INFINITY;
        if (!trust.accept(count, swing, slack)) {
            if (trust.isLost()) {
                giveUp();
            }
            return false;
        }
        if (trust.isLost()) {
            giveUp();
            return false;
        }
        left = count;
        planned = quota.reset() != null;
        limit = quota.limit() == null || quota.limit() <= 0 ? limit : quota.limit();
        double spare = interval > 0 ? Math.min(headroom, WINDOW_SHARE * limit) : Double.NaN;
        double usable = plan.usable(count, before, seconds(quota.reset()), quota.limit(), spare, now);
        if (!isBlind() && !Double.isNaN(before)) {
            change = usable - remaining;
            double jump = headroom + SWING_CAP * Math.max(0, Math.min(usable, remaining));
            double most = Math.min(jump, MOST_SWING_HEADROOMS * headroom);
            swing += SWING_WEIGHT * (Math.min(Math.abs(change), most) - swing);
        }
        remaining = usable;
        return true;
    }

    private void giveUp() {
        remaining = Double.NaN;
        left = Double.NaN;
    }

    private static double seconds(@Nullable Duration duration) {
        return duration == null ? Double.NaN : duration.getSeconds() + duration.getNano() / 1e9;
    }
}
