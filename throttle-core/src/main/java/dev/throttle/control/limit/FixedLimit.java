package dev.throttle.control.limit;

import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import org.jspecify.annotations.Nullable;

/**
 * A limit that learns nothing. It counts every admission, takes back what the server did not count, and is corrected
 * when the actual cost of a request becomes known.
 *
 * <p>After a release, a limit must be in the state in which it would be had the permits never been taken, or in a
 * stricter one. It must never allow more than its settings say.
 */
abstract class FixedLimit implements RateController {

    private final String unit;
    private final double perSecond;
    /** Releases of what was taken until then are ignored, because this limit did not count it; null if it has. */
    private @Nullable Long countsSince;

    FixedLimit(String unit, double perSecond) {
        this.unit = unit;
        this.perSecond = perSecond;
    }

    /** When so many units may go, after those that are ahead. */
    abstract long dueNanos(long ahead, long amount, long nowNanos);

    abstract void take(long amount, long nowNanos);

    /** Takes units back. */
    abstract void release(long amount, long takenAtNanos, long nowNanos);

    /** {@return what is taken at the moment, were it a limit of another kind} */
    abstract long used(long nowNanos);

    /** Goes on where another limit was; {@return false if that is not of this kind} */
    abstract boolean resume(FixedLimit before, long nowNanos);

    /** {@return the most that a limit of another kind may leave to this one as taken} */
    long mostToTakeOver() {
        return maxUnits();
    }

    /**
     * Of the same kind it goes on counting. Of another kind what is used of the one is used of the other, up to all of
     * it: what went before is never free once more.
     */
    @Override
    public final void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
        FixedLimit other = before instanceof FixedLimit limit && limit.unit.equals(unit) ? limit : null;
        if (other != null && resume(other, nowNanos)) {
            countsSince = other.countsSince;
            return;
        }
        long used = other == null ? 0 : Math.min(other.used(nowNanos), mostToTakeOver());
        if (used > 0) {
            take(used, nowNanos);
        }
        countsSince = nowNanos;
    }

    private void giveBack(long amount, long takenAtNanos, long nowNanos) {
        if (countsSince == null || takenAtNanos - countsSince > 0) {
            release(amount, takenAtNanos, nowNanos);
        }
    }

    /** No estimate is more than the limit can ever let go. */
    private long amount(Cost cost) {
        return Math.min(cost.amount(unit), maxUnits());
    }

    @Override
    public final String unit() {
        return unit;
    }

    @Override
    public final long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        return dueNanos(ahead.amount(unit), amount(cost), nowNanos);
    }

    /** What is kept back counts as taken by others. */
    @Override
    public final long dueNanos(Cost ahead, Cost cost, double reserve, long nowNanos) {
        long amount = amount(cost);
        return dueNanos(ahead.amount(unit) + reserved(reserve, amount), amount, nowNanos);
    }

    private long reserved(double share, long amount) {
        long most = maxUnits();
        boolean hasStock = most != Long.MAX_VALUE;
        // Never so much that the request could not go from a stock that is full.
        return hasStock && share > 0 && amount > 0 ? Math.min((long) (share * most + 1e-6), most - amount) : 0;
    }

    @Override
    public final void onAdmitted(Cost cost, long permitId, long nowNanos) {
        long amount = amount(cost);
        if (amount > 0) {
            take(amount, nowNanos);
        }
    }

    @Override
    public final boolean isAdaptive() {
        return false;
    }

    @Override
    public final void onReleased(Cost cost, long admittedAtNanos, long nowNanos) {
        long amount = amount(cost);
        if (amount > 0) {
            giveBack(amount, admittedAtNanos, nowNanos);
        }
    }

    /** Takes now what the request cost in addition, and releases what it did not cost. */
    @Override
    public final void onSettled(Cost admitted, Cost actual, long permitId, long admittedAtNanos, long nowNanos) {
        if (!actual.has(unit) || (unit.equals(Quota.REQUESTS) && !actual.isRequestsOnly())) {
            return; // who tells of tokens need not know of requests
        }
        long more = actual.amount(unit) - amount(admitted);
        if (more > 0) {
            take(more, nowNanos);
        } else if (more < 0) {
            giveBack(-more, admittedAtNanos, nowNanos);
        }
    }

    @Override
    public final double limitPerSecond() {
        return unit.equals(Quota.REQUESTS) ? perSecond : Double.POSITIVE_INFINITY;
    }
}
