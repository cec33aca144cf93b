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

/** The callers of one tenant in a line, as they came, and its clock; see {@link TenantTurns}. */
final class TenantLine {

    /** The advance for a request, or for one of another unit, of a tenant of weight 1. */
    private static final long STEP = 1 << 16;
    /** More than that does not count. */
    private static final long MOST = Long.MAX_VALUE / 64 / STEP;
    /** A tenant that took little may take as much as so many of its calls before it has had more than its share. */
    private static final int CREDIT = 4;

    final @Nullable String tenant;
    private final WaiterSet waiters = new WaiterSet(Waiter.inOrder(), Waiter.inOrder());
    /** What all take, each in the unit of which it takes most. */
    private long amount;

    private int weight;
    private long credit;
    /** What it got so far, by weight. It is the turn of its first. */
    private long clock;
    /** {@link Waiter#order} of its first, or of the one that was its first last. */
    private long firstOrder;

    /** Of a tenant that took nothing so far. */
    TenantLine(@Nullable String tenant, int weight, long instant, Cost first) {
        this.tenant = tenant;
        this.weight = weight;
        this.credit = CREDIT * advance(amountOf(first));
        this.clock = instant - credit;
    }

    /** It comes back. What it did not take is not saved up, beyond its credit. */
    void comesBackAt(long instant, int nextWeight, Cost first) {
        weight = nextWeight;
        credit = CREDIT * advance(amountOf(first));
        clock = isWholeAt(instant) ? instant - credit : clock;
    }

    /** {@return whether it has its whole credit at an instant of the clock of its line} */
    boolean isWholeAt(long instant) {
        return instant - credit - clock >= 0;
    }

    /** {@return whose clock is earlier; of equal ones, whose first came earlier} */
    static int byClock(TenantLine one, TenantLine other) {
        long later = one.clock - other.clock;
        return later == 0 ? byFirst(one, other) : Long.signum(later);
    }

    /** {@return whose first came earlier} */
    static int byFirst(TenantLine one, TenantLine other) {
        return Long.compare(one.firstOrder, other.firstOrder);
    }

    long clock() {
        return clock;
    }

    /**
     * {@return whether at an instant of the clock of its line it has had no more than its share, and asks for little}
     */
    boolean isWithinAt(long instant) {
        return clock - instant <= 0 && waiters.size() <= CREDIT;
    }

    /** {@return whether a newcomer of it would find it so, with the newcomer} */
    boolean isWithinWithOneMore(long instant) {
        return end() - instant <= 0 && waiters.size() < CREDIT;
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

    /** A caller joins. Not while this is in a set that is in order. */
    void add(Waiter waiter) {
        waiters.add(waiter);
        amount += amountOf(waiter.costInLine());
        noteFirst();
    }

    /** A caller leaves. Not while this is in a set that is in order. */
    void remove(Waiter waiter) {
        waiters.remove(waiter);
        amount -= amountOf(waiter.costInLine());
        noteFirst();
    }

    private void noteFirst() {
        Waiter first = waiters.first(false);
        firstOrder = first == null ? firstOrder : first.order;
    }

    /** A caller takes its turn. Not while this is in a set that is in order. */
    void pay(Waiter waiter) {
        clock += advance(amountOf(waiter.costInLine()));
    }

    /** Changes its callers, and with them what they take, and its weight. */
    void revise(Consumer<Waiter> change, int nextWeight) {
        waiters.revise(change);
        weight = nextWeight;
        amount = 0;
        waiters.forEach(waiter -> amount += amountOf(waiter.costInLine()));
    }

    /** {@return the clock once all have gone: the turn of a newcomer} */
    long end() {
        return clock + advance(amount);
    }

    /**
     * {@return which share of what they take goes in any case before a newcomer of another tenant, from 0 to 1}
     *
     * @param turn the newcomer's
     */
    double shareBefore(long turn) {
        if (clock - turn > 0) {
            return 0;
        }
        boolean areSingle = amount == waiters.size();
        long first = advance(amountOf(waiters.first().costInLine()));
        long before = areSingle ? turn - clock + first : Math.max(turn - clock, first);
        return Math.min(1, (double) before / (end() - clock));
    }

    /** {@return whether its last goes after the last of another one} */
    boolean endsAfter(TenantLine other, long instant) {
        long turn = turnOfLast(instant);
        long others = other.turnOfLast(instant);
        return turn == others ? waiters.last().order > other.waiters.last().order : turn - others > 0;
    }

    private long turnOfLast(long instant) {
        long turn = end() - advance(amountOf(waiters.last().costInLine()));
        return instant - turn > 0 ? instant : turn;
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
