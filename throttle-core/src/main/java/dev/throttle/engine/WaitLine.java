package dev.throttle.engine;

import dev.throttle.Priority;
import dev.throttle.signal.Cost;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one class in line: first the calls that try again, by the arrival of the call, so that a refusal does
 * not cost a call its place; then the others, as they came. While a server is away the calls that try again line up
 * behind the others. Guarded by the engine's lock.
 */
final class WaitLine {

    final Priority priority;
    private final SortedSet<Waiter> retries = Waiter.by(waiter -> waiter.call.arrivedAt());
    private final SortedSet<Waiter> others = new TreeSet<>((a, b) -> Long.compare(a.order, b.order));
    private CostSum cost = new CostSum();
    /** How long its first waits for something of its own, as of the last choice; belongs to {@link Turns}. */
    long ownNanos;

    WaitLine(Priority priority) {
        this.priority = priority;
    }

    boolean isEmpty() {
        return retries.isEmpty() && others.isEmpty();
    }

    /** {@return the first in line, which must not be empty} */
    Waiter first() {
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

    /** {@return what all callers in this line will take} */
    Cost cost() {
        return cost.toCost();
    }

    void add(Waiter waiter) {
        (standsInFront(waiter) ? retries : others).add(waiter);
        cost.add(waiter.costInLine());
    }

    void remove(Waiter waiter) {
        if (!retries.remove(waiter)) {
            others.remove(waiter);
        }
        cost.subtract(waiter.costInLine());
    }

    void forEach(Consumer<Waiter> action) {
        retries.forEach(action);
        others.forEach(action);
    }

    /** Changes its callers, and with them what they take as others have to reckon with it. */
    void revise(Consumer<Waiter> change) {
        CostSum revised = new CostSum();
        Consumer<Waiter> changeAndAdd = change.andThen(waiter -> revised.add(waiter.costInLine()));
        retries.forEach(changeAndAdd);
        others.forEach(changeAndAdd);
        cost = revised;
    }
}
