package dev.throttle.lease;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import org.jspecify.annotations.Nullable;

/** Spends what the account of its key has. All throttles of a process with the same key spend from the same. */
final class LeasedController implements RateController {

    /** How soon callers ask again where no throttle can be nudged, as in a limit that several throttles share. */
    private static final long LOOK_AGAIN_NANOS = 10_000_000L;

    private final LeaseTerms terms;
    private final Account account;
    /**
     * The account nudges it, but does not keep it: it lives as long as this does. Null without a throttle of its own.
     */
    private final @Nullable ControllerHost host;
    /**
     * Releases of what was taken until then are ignored, because this account did not give it. Null until it takes
     * over.
     */
    private @Nullable Long countsSince;

    LeasedController(LeaseTerms terms, Account account, @Nullable ControllerHost host) {
        this.terms = terms;
        this.account = account;
        this.host = host;
    }

    private long amount(Cost cost) {
        return Math.min(cost.amount(terms.unit()), terms.burst());
    }

    @Override
    public boolean isAdaptive() {
        return false;
    }

    @Override
    public String unit() {
        return terms.unit();
    }

    @Override
    public long maxUnits() {
        return terms.burst();
    }

    /** Dropping a controller loses nothing, because leased permits stay with the account. */
    @Override
    public boolean isForgettable(long nowNanos) {
        return true;
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        long amount = amount(cost);
        if (amount == 0) {
            return nowNanos;
        }
        long due = account.dueNanos(ahead.amount(terms.unit()), amount, nowNanos);
        return due == UNTIL_SIGNAL && host == null ? nowNanos + LOOK_AGAIN_NANOS : due;
    }

    @Override
    public void prefetch(Cost ahead, Cost cost, long nowNanos) {
        long amount = amount(cost);
        if (amount > 0) {
            account.want(ahead.amount(terms.unit()), amount, nowNanos);
        }
    }

    @Override
    public void takeOver(@Nullable RateLimit before, Load load, long nowNanos) {
        if (before instanceof LeasedController other && other.account == account) {
            countsSince = other.countsSince;
        } else {
            countsSince = nowNanos;
        }
    }

    private void putBack(long amount, long takenAt, long nowNanos) {
        if (countsSince == null || takenAt - countsSince > 0) {
            account.putBack(amount, takenAt, nowNanos);
        }
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, long nowNanos) {
        long amount = amount(cost);
        if (amount > 0) {
            account.spend(amount, nowNanos);
        }
    }

    @Override
    public void onReleased(Cost cost, long admittedAtNanos, long nowNanos) {
        putBack(amount(cost), admittedAtNanos, nowNanos);
    }

    @Override
    public void onSettled(Cost admitted, Cost actual, long permitId, long admittedAtNanos, long nowNanos) {
        if (!actual.has(terms.unit()) || terms.unit().equals(Quota.REQUESTS)) {
            return;
        }
        long more = actual.amount(terms.unit()) - amount(admitted);
        if (more > 0) {
            account.spend(more, nowNanos);
        } else if (more < 0) {
            putBack(-more, admittedAtNanos, nowNanos);
        }
    }

    /** The process's share. */
    @Override
    public double limitPerSecond() {
        boolean counts = terms.unit().equals(Quota.REQUESTS);
        return counts ? terms.perSecond() / account.sharers() : Double.POSITIVE_INFINITY;
    }
}
