package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one tenant in a line, as they came. It has a clock, which advances by what its callers take, slowly
 * where the weight of the tenant is high. Guarded by the engine's lock.
 */
final class TenantLine {

    /** The advance for a request, or for one of another unit, of a tenant of weight 1. */
    private static final long STEP = 1 << 16;
    /** More than that does not count. */
    private static final long MOST = Long.MAX_VALUE / 4 / STEP;

    private final WaiterSet waiters = new WaiterSet(Waiter.inOrder(), Waiter.inOrder());
    /** What all take, each in the unit of which it takes most. */
    private long amount;

    private int weight;
    /** What it got so far, by weight. */
    private long clock;
    /** The clock once its first has gone. */
    private long turn;
    /** The place of its first among those that arrived at the same instant. */
    private long firstOrder;

    TenantLine(int weight, long clock) {
        this.weight = weight;
        this.clock = clock;
    }

    /** {@return which of two is next: the one whose clock would be the earlier, the older first of equals} */
    static int compare(TenantLine one, TenantLine other) {
        long later = one.turn - other.turn;
        return Long.signum(later == 0 ? one.firstOrder - other.firstOrder : later);
    }

    private long advance(long taken) {
        return STEP * Math.min(taken, MOST) / weight;
    }

    /** {@return what a call counts as: its amount of the unit of which it takes most} */
    private static long amountOf(Cost cost) {
        long most = cost.requests();
        if (!cost.isRequestsOnly()) {
            for (String unit : cost.units()) {
                most = Math.max(most, cost.amount(unit));
            }
        }
        return most;
    }

    /** Finds out whose turn it is. Not while it is in a set that is in order. */
    private void reckon() {
        Waiter first = waiters.first(false);
        if (first != null) {
            turn = clock + advance(amountOf(first.costInLine()));
            firstOrder = first.order;
        }
    }

    /** A caller joins. Not while it is in a set that is in order. */
    void add(Waiter waiter) {
        waiters.add(waiter);
        amount += amountOf(waiter.costInLine());
        reckon();
    }

    /** A caller leaves. Not while it is in a set that is in order. */
    void remove(Waiter waiter) {
        waiters.remove(waiter);
        amount -= amountOf(waiter.costInLine());
        reckon();
    }

    /**
     * A caller is let go, and will be removed. {@return the clock after that} A call that tries again has had its turn
     * already.
     */
    long goes(Waiter waiter) {
        if (!waiter.isRetry()) {
            clock += advance(amountOf(waiter.costInLine()));
        }
        return clock;
    }

    /** Changes its callers, and with them what they take, and its weight. Not while it is in a set that is in order. */
    void revise(Consumer<Waiter> change, int nextWeight) {
        waiters.revise(change);
        weight = nextWeight;
        amount = 0;
        waiters.forEach(waiter -> amount += amountOf(waiter.costInLine()));
        reckon();
    }

    /** {@return the clock once a newcomer with a cost has gone, behind all who are here} */
    long turnOf(Cost newcomer) {
        return clock + advance(amount + amountOf(newcomer));
    }

    /** {@return the clock once all have gone} */
    long end() {
        return clock + advance(amount);
    }

    /** {@return which share of what they take goes before a turn of another tenant, from 0 to 1} */
    double shareBefore(long other) {
        long end = end();
        return other - end >= 0 ? 1 : Math.max(0, (double) (other - clock) / (end - clock));
    }

    boolean isEmpty() {
        return waiters.isEmpty();
    }

    int size() {
        return waiters.size();
    }

    /** {@return the first; null if all are passed over} */
    @Nullable Waiter first(boolean passesOver) {
        return waiters.first(passesOver);
    }

    /** {@return what those take that are not passed over} */
    CostSum cost(boolean passesOver) {
        return waiters.cost(passesOver);
    }

    /** {@return who came first of those that do not try again; null if there are none} */
    @Nullable Waiter oldestNewcomer() {
        Iterator<Waiter> next = waiters.iterator();
        while (next.hasNext()) {
            Waiter waiter = next.next();
            if (!waiter.isRetry()) {
                return waiter;
            }
        }
        return null;
    }

    /** {@return who came last; null if that one tries again} */
    @Nullable Waiter last() {
        Waiter last = waiters.last();
        return last.isRetry() ? null : last;
    }

    /** {@return the callers that do not try again and come after so many requests, the last first} */
    List<Waiter> behind(long requests) {
        List<Waiter> behind = new ArrayList<>();
        long place = waiters.cost(false).requests();
        Iterator<Waiter> next = waiters.descendingIterator();
        while (next.hasNext() && place > requests) {
            Waiter waiter = next.next();
            place -= waiter.costInLine().requests();
            if (!waiter.isRetry()) {
                behind.add(waiter);
            }
        }
        return behind;
    }

    /** {@return those of some of its callers that come after so many requests, the last first} */
    Collection<Waiter> behind(long requests, Set<Waiter> some) {
        Deque<Waiter> behind = new ArrayDeque<>();
        int left = some.size();
        long place = 0;
        Iterator<Waiter> next = waiters.iterator();
        while (left > 0 && next.hasNext()) {
            Waiter waiter = next.next();
            place += waiter.costInLine().requests();
            if (some.contains(waiter)) {
                left--;
                if (place > requests) {
                    behind.addFirst(waiter);
                }
            }
        }
        return behind;
    }

    void forEach(Consumer<Waiter> action) {
        waiters.forEach(action);
    }
}
