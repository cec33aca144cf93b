package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one class in line: first the calls that try again, by the arrival of the call, so that a refusal does
 * not cost a call its place; then the others, as they came. While a server is away the calls that try again line up
 * behind the others. The callers that the number of requests in flight bounds can be passed over: they then keep their
 * places, and delay no other call. Guarded by the engine's lock.
 *
 * <p>The others take turns by tenant; see {@link TenantTurns}.
 */
final class WaitLine {

    final Priority priority;
    private final WaiterSet retries = new WaiterSet(byArrival(), byArrival());
    private final TenantTurns others;
    /** What all in line take. */
    private CostSum cost = new CostSum();

    private CostSum unboundedCost = new CostSum();
    /** How many in line are not bounded. */
    private int unbounded;

    private boolean passesOver;
    /** How long its first waits for something of its own, as of the last choice; belongs to {@link Turns}. */
    long ownNanos;

    WaitLine(Priority priority, Tenants tenants) {
        this.priority = priority;
        this.others = new TenantTurns(tenants);
    }

    private static NavigableSet<Waiter> byArrival() {
        return Waiter.by(waiter -> waiter.call.arrivedAt());
    }

    boolean isEmpty() {
        return retries.isEmpty() && others.isEmpty();
    }

    int size() {
        int size = retries.size();
        for (TenantLine line : others.lines()) {
            size += line.size();
        }
        return size;
    }

    /** Passes over those that the number of requests in flight bounds, or does not any more. */
    void passOverBounded(boolean value) {
        passesOver = value;
    }

    /** {@return whether no caller in it delays others} */
    boolean isClear() {
        return passesOver ? unbounded == 0 : isEmpty();
    }

    /** {@return the first in line that is not passed over; the line must not be clear} */
    Waiter first() {
        return first(passesOver);
    }

    /** {@return the first in line, which must not be empty, passed over or not} */
    Waiter firstOfAll() {
        return first(false);
    }

    private Waiter first(boolean passing) {
        Waiter first = retries.first(passing);
        return first == null ? Objects.requireNonNull(others.first(passing)) : first;
    }

    /** {@return whether one of two callers of the same class stands before the other, were they in one line} */
    static boolean isBefore(Waiter one, Waiter other) {
        boolean isRetry = standsInFront(one);
        if (isRetry != standsInFront(other)) {
            return isRetry;
        }
        long later = isRetry ? one.call.arrivedAt() - other.call.arrivedAt() : 0;
        return later == 0 ? one.order < other.order : later < 0;
    }

    private static boolean standsInFront(Waiter waiter) {
        return waiter.isRetry() && !waiter.goesBehind;
    }

    /**
     * {@return who came first of those that do not try again, of the tenant with most callers; null if there are none}
     */
    @Nullable Waiter oldestNewcomer() {
        TenantLine largest = others.largest();
        return largest == null ? null : largest.oldestNewcomer();
    }

    /** {@return the tenants of those that do not stand in front} */
    TenantTurns tenants() {
        return others;
    }

    /** {@return what the callers in this line will take that are not passed over} */
    Cost cost() {
        return (passesOver ? unboundedCost : cost).toCost();
    }

    /** {@return what those of them will take who go before a newcomer of a tenant, or some of those} */
    Cost costBefore(@Nullable String tenant) {
        if (others.lines().size() == (others.line(tenant) == null ? 0 : 1)) {
            return cost();
        }
        CostSum before = new CostSum();
        before.addShare(retries.cost(passesOver), 1);
        others.addCostBefore(tenant, passesOver, before);
        return before.toCost();
    }

    /**
     * {@return the callers that come after so many requests of this line, counting those of their own tenant only; the
     * last of each tenant first} Those that try again are left out: they are told by what their last attempt was
     * answered.
     */
    List<Waiter> behind(long requests) {
        List<Waiter> behind = new ArrayList<>();
        long left = requests - retries.cost(false).requests();
        for (TenantLine line : others.lines()) {
            behind.addAll(line.behind(left));
        }
        return behind;
    }

    /** {@return how many requests of this line come after so many} */
    long requestsBehind(long requests) {
        return Math.max(0, cost.requests() - requests);
    }

    /**
     * {@return the same of some callers only, all in this line} Looks at no tenant further than to the last of them.
     */
    List<Waiter> behind(long requests, Set<Waiter> some) {
        Map<TenantLine, Set<Waiter>> byTenant = new HashMap<>();
        for (Waiter waiter : some) {
            byTenant.computeIfAbsent(others.lineOf(waiter), line -> new HashSet<>())
                    .add(waiter);
        }
        List<Waiter> behind = new ArrayList<>();
        long left = requests - retries.cost(false).requests();
        byTenant.forEach((line, waiters) -> behind.addAll(line.behind(left, waiters)));
        return behind;
    }

    /** {@return the caller behind all others; null if there is none, or if it tries again} */
    @Nullable Waiter last() {
        return others.last();
    }

    void add(Waiter waiter) {
        if (standsInFront(waiter)) {
            retries.add(waiter);
        } else {
            others.add(waiter);
        }
        count(waiter);
        unbounded += waiter.isBounded() ? 0 : 1;
    }

    private void count(Waiter waiter) {
        cost.add(waiter.costInLine());
        if (!waiter.isBounded()) {
            unboundedCost.add(waiter.costInLine());
        }
    }

    /** A caller is let go, and will be removed. Its tenant has had its turn, unless the call had one before. */
    void goes(Waiter waiter) {
        if (!waiter.isRetry()) {
            others.goes(waiter);
        }
    }

    void remove(Waiter waiter) {
        if (standsInFront(waiter)) {
            retries.remove(waiter);
        } else {
            others.remove(waiter);
        }
        unbounded -= waiter.isBounded() ? 0 : 1;
        cost.subtract(waiter.costInLine());
        if (!waiter.isBounded()) {
            unboundedCost.subtract(waiter.costInLine());
        }
    }

    void forEach(Consumer<Waiter> action) {
        retries.forEach(action);
        others.forEach(action);
    }

    /** Changes its callers, and with them what they take as others have to reckon with it. */
    void revise(Consumer<Waiter> change) {
        cost = new CostSum();
        unboundedCost = new CostSum();
        retries.revise(change);
        others.revise(change);
        forEach(this::count);
    }
}
