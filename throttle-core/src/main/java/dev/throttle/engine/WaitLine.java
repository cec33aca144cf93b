package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
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
 */
final class WaitLine {

    final Priority priority;
    private final SortedSet<Waiter> retries = Waiter.by(waiter -> waiter.call.arrivedAt());
    private final NavigableSet<Waiter> others = new TreeSet<>((a, b) -> Long.compare(a.order, b.order));
    /** The same without those that are bounded. */
    private final SortedSet<Waiter> unboundedRetries = Waiter.by(waiter -> waiter.call.arrivedAt());

    private final SortedSet<Waiter> unboundedOthers = new TreeSet<>((a, b) -> Long.compare(a.order, b.order));
    private CostSum cost = new CostSum();
    private CostSum unboundedCost = new CostSum();
    private boolean passesOver;
    /** How long its first waits for something of its own, as of the last choice; belongs to {@link Turns}. */
    long ownNanos;

    WaitLine(Priority priority) {
        this.priority = priority;
    }

    boolean isEmpty() {
        return retries.isEmpty() && others.isEmpty();
    }

    int size() {
        return retries.size() + others.size();
    }

    /** Passes over those that the number of requests in flight bounds, or does not any more. */
    void passOverBounded(boolean value) {
        passesOver = value;
    }

    /** {@return whether no caller in it delays others} */
    boolean isClear() {
        return passesOver ? unboundedRetries.isEmpty() && unboundedOthers.isEmpty() : isEmpty();
    }

    /** {@return the first in line that is not passed over; the line must not be clear} */
    Waiter first() {
        SortedSet<Waiter> again = passesOver ? unboundedRetries : retries;
        return again.isEmpty() ? (passesOver ? unboundedOthers : others).first() : again.first();
    }

    /** {@return the first in line, which must not be empty, passed over or not} */
    Waiter firstOfAll() {
        return retries.isEmpty() ? others.first() : retries.first();
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

    /** {@return who came first of those that do not try again; null if there are none} */
    @Nullable Waiter oldestNewcomer() {
        for (Waiter waiter : others) {
            if (!waiter.isRetry()) {
                return waiter;
            }
        }
        return null;
    }

    /** {@return what the callers in this line will take that are not passed over} */
    Cost cost() {
        return (passesOver ? unboundedCost : cost).toCost();
    }

    /**
     * {@return the callers that come after so many requests of this line, the last first} Those that try again are left
     * out: they are told by what their last attempt was answered.
     */
    List<Waiter> behind(long requests) {
        List<Waiter> behind = new ArrayList<>();
        long place = cost.toCost().requests();
        for (Waiter waiter : others.descendingSet()) {
            if (place <= requests) {
                break;
            }
            place -= waiter.costInLine().requests();
            if (!waiter.isRetry()) {
                behind.add(waiter);
            }
        }
        return behind;
    }

    /** {@return how many requests of this line come after so many} */
    long requestsBehind(long requests) {
        return Math.max(0, cost.toCost().requests() - requests);
    }

    /**
     * {@return those of some callers, all in this line, that come after so many of its requests, the last first} Looks
     * at the line no further than to the last of them.
     */
    List<Waiter> behind(long requests, Set<Waiter> some) {
        Deque<Waiter> behind = new ArrayDeque<>();
        int left = some.size();
        long place = 0;
        for (Waiter waiter : left == 0 ? List.<Waiter>of() : retries) {
            place += waiter.costInLine().requests();
        }
        Iterator<Waiter> next = others.iterator();
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
        return List.copyOf(behind);
    }

    /** {@return the caller behind all others; null if there is none, or if it tries again} */
    @Nullable Waiter last() {
        Waiter last = others.isEmpty() ? null : others.last();
        return last == null || last.isRetry() ? null : last;
    }

    void add(Waiter waiter) {
        boolean goesFirst = standsInFront(waiter);
        (goesFirst ? retries : others).add(waiter);
        cost.add(waiter.costInLine());
        if (!waiter.isBounded()) {
            (goesFirst ? unboundedRetries : unboundedOthers).add(waiter);
            unboundedCost.add(waiter.costInLine());
        }
    }

    void remove(Waiter waiter) {
        if (!retries.remove(waiter)) {
            others.remove(waiter);
        }
        cost.subtract(waiter.costInLine());
        if (!waiter.isBounded()) {
            if (!unboundedRetries.remove(waiter)) {
                unboundedOthers.remove(waiter);
            }
            unboundedCost.subtract(waiter.costInLine());
        }
    }

    void forEach(Consumer<Waiter> action) {
        retries.forEach(action);
        others.forEach(action);
    }

    /** Changes its callers, and with them what they take as others have to reckon with it. */
    void revise(Consumer<Waiter> change) {
        CostSum revised = new CostSum();
        CostSum revisedUnbounded = new CostSum();
        Consumer<Waiter> changeAndAdd = change.andThen(waiter -> {
            revised.add(waiter.costInLine());
            if (!waiter.isBounded()) {
                revisedUnbounded.add(waiter.costInLine());
            }
        });
        retries.forEach(changeAndAdd);
        others.forEach(changeAndAdd);
        cost = revised;
        unboundedCost = revisedUnbounded;
    }
}
