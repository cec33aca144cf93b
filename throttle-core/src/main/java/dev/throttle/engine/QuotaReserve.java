package dev.throttle.engine;

import dev.throttle.PriorityPolicy;
import dev.throttle.control.RateController;
import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a share of what a server says is left of a quota back from calls of a lower class, whatever the strategy. It is
 * a share of what an even use of the quota would leave at each moment: all of the share when the window begins, and
 * nothing at the reset, as what is left then is lost. At rest until a server tells of a limit, of what remains and of a
 * reset.
 */
final class QuotaReserve implements RateController {

    static final String NAME = "quota-reserve";

    private static final int MOST_QUOTAS = 8;
    private static final long ROUNDING_NANOS = 2_000_000_000L;

    /** What is known of one quota. */
    private static final class Account {
        final Quota first;
        long limit;
        long left;
        long resetAt;
        /** The window as the server tells it, or the longest time until a reset so far. */
        long windowNanos;

        Account(Quota first) {
            this.first = first;
        }

        long amount(Cost cost) {
            return cost.amount(first.unit());
        }

        /** {@return how long before the reset no more is reserved than is left after a request} */
        long spareNanos(long amount, double reserve) {
            double spare = Math.max(0, left - amount) / (reserve * limit);
            return (long) Math.min((double) windowNanos, spare * windowNanos);
        }

        /** Where servers round times up to whole seconds, the earliest word for a window is the best. */
        void resetsAt(long told, long now) {
            boolean isSame = resetAt - now > 0 && Math.abs(told - resetAt) < ROUNDING_NANOS;
            resetAt = isSame && told - resetAt > 0 ? resetAt : told;
        }

        boolean isOf(Quota quota) {
            return first.isSameAs(quota) && first.unit().equals(quota.unit());
        }
    }

    private final List<Account> accounts = new ArrayList<>();

    /** {@return whether some class leaves a share of the limits to others} */
    static boolean isAskedFor(PriorityPolicy policy) {
        return policy.reserves().values().stream().anyMatch(share -> share > 0);
    }

    @Override
    public boolean isIdle() {
        return accounts.isEmpty();
    }

    @Override
    public boolean isAdaptive() {
        return false; // a refusal is not spaced by it
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
        return nowNanos;
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, double reserve, long nowNanos) {
        return dueNanos(ahead, cost, reserve, Scope.ALL, nowNanos);
    }

    @Override
    public long dueNanos(Cost ahead, Cost cost, double reserve, Scope scope, long nowNanos) {
        long due = nowNanos;
        for (int i = 0; i < accounts.size() && reserve > 0; i++) {
            Account account = accounts.get(i);
            long amount = account.amount(cost);
            if (amount > 0 && scope.counts(account.first.policy()) && account.resetAt - nowNanos > 0) {
                long own = account.resetAt - account.spareNanos(amount, reserve);
                due = own - due > 0 ? own : due;
            }
        }
        return due;
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, long nowNanos) {
        onAdmitted(cost, permitId, Scope.ALL, nowNanos);
    }

    @Override
    public void onAdmitted(Cost cost, long permitId, Scope scope, long nowNanos) {
        for (Account account : accounts) {
            account.left -= scope.counts(account.first.policy()) ? account.amount(cost) : 0;
        }
    }

    @Override
    public void onSignal(Signal signal, Load load, long nowNanos) {
        if (signal.outcome() == Outcome.IGNORED) {
            for (Account account : accounts) {
                account.left += load.scope().counts(account.first.policy()) ? account.amount(load.cost()) : 0;
            }
        }
        learn(signal, load, nowNanos);
    }

    @Override
    public void onHeard(Signal signal, Load load, long nowNanos) {
        learn(signal, load, nowNanos);
    }

    /** Takes the last word over. The server may not have counted yet what is on the wire. */
    private void learn(Signal signal, Load load, long now) {
        for (Quota quota : signal.hints().quotas()) {
            Long limit = quota.limit();
            Long remaining = quota.remaining();
            Duration reset = quota.reset();
            if (limit != null && limit > 0 && remaining != null && reset != null) {
                Account account = account(quota);
                if (account != null) {
                    account.limit = limit;
                    account.left = remaining - (quota.countsRequests() ? load.inFlight() : 0);
                    account.resetsAt(now + Nanos.of(reset), now);
                    Duration window = quota.window();
                    account.windowNanos =
                            window == null ? Math.max(account.windowNanos, Nanos.of(reset)) : Nanos.of(window);
                }
            }
        }
    }

    private @Nullable Account account(Quota quota) {
        if (quota.unit().equals(Quota.CONCURRENT_REQUESTS)) {
            return null;
        }
        for (Account account : accounts) {
            if (account.isOf(quota)) {
                return account;
            }
        }
        if (accounts.size() == MOST_QUOTAS) {
            return null;
        }
        Account account = new Account(quota);
        accounts.add(account);
        return account;
    }
}
