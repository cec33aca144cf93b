package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one class in line: first the calls that try again, by the arrival of the call, so that a refusal does
 * not cost a call its place; then the others, as they came. While a server is away the calls that try again line up
 * behind the others. The callers that the number of requests in flight bounds can be passed over: they then keep their
 * places, and delay no other call. Guarded by the engine's lock.
 *
 * <p>Several tenants take turns, as classes do in {@link Turns}: the one whose clock would be the earliest goes next. A
 * tenant that comes begins at the latest turn taken: it saves nothing up, and owes nothing.
 */
final class WaitLine {

    /** So many tenants are looked at to find out what goes before a newcomer: each newcomer asks. */
    private static final int MOST_LOOKED_AT = 200;

    final Priority priority;
    private final Tenants tenants;
    private final WaiterSet retries = new WaiterSet(byArrival(), byArrival());
    /** The others by tenant; those without one have the key null. No line is empty. */
    private final Map<@Nullable String, TenantLine> others = new HashMap<>();
    /** The same in the order of their turns. */
    private final SortedSet<TenantLine> inTurn = new TreeSet<>(TenantLine::compare);
    /** What all in line take. */
    private CostSum cost = new CostSum();

    private CostSum unboundedCost = new CostSum();
    /** How many in line are not bounded. */
    private int unbounded;
    /** The latest turn that a tenant took. */
    private long clock;

    private boolean passesOver;
    /** How long its first waits for something of its own, as of the last choice; belongs to {@link Turns}. */
    long ownNanos;

    WaitLine(Priority priority, Tenants tenants) {
        this.priority = priority;
        this.tenants = tenants;
    }

    private static TreeSet<Waiter> byArrival() {
        return Waiter.by(waiter -> waiter.call.arrivedAt());
    }

    boolean isEmpty() {
        return retries.isEmpty() && others.isEmpty();
    }

    int size() {
        int size = retries.size();
        for (TenantLine own : others.values()) {
            size += own.size();
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
        if (first == null) {
            first = inTurn.first().first(passing);
        }
        if (first == null) { // those of the tenant whose turn it is are all passed over
            for (TenantLine own : inTurn) {
                first = first == null ? own.first(passing) : first;
            }
        }
        return Objects.requireNonNull(first);
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
        TenantLine largest = largest();
        return largest == null ? null : largest.oldestNewcomer();
    }

    /** {@return how many callers of a tenant do not stand in front} */
    int size(@Nullable String tenant) {
        TenantLine own = others.get(tenant);
        return own == null ? 0 : own.size();
    }

    /** {@return the tenant with most callers that do not stand in front; null if there are none} */
    @Nullable TenantLine largest() {
        TenantLine largest = null;
        for (TenantLine own : others.values()) {
            largest = largest == null || own.size() > largest.size() ? own : largest;
        }
        return largest;
    }

    /** {@return what the callers in this line will take that are not passed over} */
    Cost cost() {
        return (passesOver ? unboundedCost : cost).toCost();
    }

    /**
     * {@return what those of them will take who go before a newcomer of a tenant} With very many tenants, it is what
     * some of those take.
     */
    Cost costBefore(@Nullable String tenant, Cost newcomer) {
        TenantLine own = others.get(tenant);
        if (others.size() == (own == null ? 0 : 1)) {
            return cost();
        }
        CostSum before = new CostSum();
        before.addShare(retries.cost(passesOver), 1);
        if (own != null) {
            before.addShare(own.cost(passesOver), 1);
        }
        long turn = (own == null ? new TenantLine(tenants.weight(tenant), clock) : own).turnOf(newcomer);
        int left = MOST_LOOKED_AT;
        for (TenantLine other : others.values()) {
            if (left-- == 0) {
                break;
            }
            if (!other.equals(own)) {
                before.addShare(other.cost(passesOver), other.shareBefore(turn));
            }
        }
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
        for (TenantLine own : others.values()) {
            behind.addAll(own.behind(left));
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
            byTenant.computeIfAbsent(lineOf(waiter), own -> new HashSet<>()).add(waiter);
        }
        List<Waiter> behind = new ArrayList<>();
        long left = requests - retries.cost(false).requests();
        byTenant.forEach((own, waiters) -> behind.addAll(own.behind(left, waiters)));
        return behind;
    }

    /** {@return the caller behind all others; null if there is none, or if it tries again} */
    @Nullable Waiter last() {
        TenantLine last = null;
        for (TenantLine own : others.values()) {
            last = last == null || own.end() - last.end() > 0 ? own : last;
        }
        return last == null ? null : last.last();
    }

    private TenantLine lineOf(Waiter waiter) {
        return Objects.requireNonNull(others.get(waiter.call.tenant()));
    }

    void add(Waiter waiter) {
        if (standsInFront(waiter)) {
            retries.add(waiter);
        } else {
            String tenant = waiter.call.tenant();
            TenantLine own = others.get(tenant);
            if (own == null) {
                own = new TenantLine(tenants.weight(tenant), clock);
                others.put(tenant, own);
            } else {
                inTurn.remove(own);
            }
            own.add(waiter);
            inTurn.add(own);
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

    /** A caller is let go, and will be removed. Its tenant has had its turn. */
    void goes(Waiter waiter) {
        if (!standsInFront(waiter)) {
            long turn = lineOf(waiter).goes(waiter); // the order follows when it is removed
            clock = turn - clock > 0 ? turn : clock;
        }
    }

    void remove(Waiter waiter) {
        if (standsInFront(waiter)) {
            retries.remove(waiter);
        } else {
            TenantLine own = lineOf(waiter);
            inTurn.remove(own);
            own.remove(waiter);
            if (own.isEmpty()) {
                others.remove(waiter.call.tenant());
            } else {
                inTurn.add(own);
            }
        }
        unbounded -= waiter.isBounded() ? 0 : 1;
        cost.subtract(waiter.costInLine());
        if (!waiter.isBounded()) {
            unboundedCost.subtract(waiter.costInLine());
        }
    }

    void forEach(Consumer<Waiter> action) {
        retries.forEach(action);
        others.values().forEach(own -> own.forEach(action));
    }

    /** Changes its callers, and with them what they take as others have to reckon with it. */
    void revise(Consumer<Waiter> change) {
        cost = new CostSum();
        unboundedCost = new CostSum();
        retries.revise(change);
        inTurn.clear();
        others.forEach((tenant, own) -> {
            own.revise(change, tenants.weight(tenant));
            inTurn.add(own);
        });
        forEach(this::count);
    }
}
