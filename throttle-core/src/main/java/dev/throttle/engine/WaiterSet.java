package dev.throttle.engine;

import java.util.Iterator;
import java.util.NavigableSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Callers in an order, and what they take together: all of them, and those that the number of requests in flight does
 * not bound. Guarded by the engine's lock.
 */
final class WaiterSet {

    private final NavigableSet<Waiter> all;
    private final NavigableSet<Waiter> unbounded;
    private CostSum cost = new CostSum();
    private CostSum unboundedCost = new CostSum();

    /** Of two empty sets that have the same order. */
    WaiterSet(NavigableSet<Waiter> all, NavigableSet<Waiter> unbounded) {
        this.all = all;
        this.unbounded = unbounded;
    }

    void add(Waiter waiter) {
        all.add(waiter);
        cost.add(waiter.costInLine());
        if (!waiter.isBounded()) {
            unbounded.add(waiter);
            unboundedCost.add(waiter.costInLine());
        }
    }

    void remove(Waiter waiter) {
        all.remove(waiter);
        cost.subtract(waiter.costInLine());
        if (!waiter.isBounded()) {
            unbounded.remove(waiter);
            unboundedCost.subtract(waiter.costInLine());
        }
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    int size() {
        return all.size();
    }

    /**
     * {@return the first, or the first that is not bounded if those that are are passed over; null if there is none}
     */
    @Nullable Waiter first(boolean passesOver) {
        NavigableSet<Waiter> going = passesOver ? unbounded : all;
        return going.isEmpty() ? null : going.first();
    }

    /** {@return the first of all, which must not be empty} */
    Waiter first() {
        return all.first();
    }

    /** {@return the last of all, which must not be empty} */
    Waiter last() {
        return all.last();
    }

    /** {@return what all take, or those that are not bounded} */
    CostSum cost(boolean passesOver) {
        return passesOver ? unboundedCost : cost;
    }

    Iterator<Waiter> iterator() {
        return all.iterator();
    }

    Iterator<Waiter> descendingIterator() {
        return all.descendingIterator();
    }

    void forEach(Consumer<Waiter> action) {
        all.forEach(action);
    }

    /** Changes its callers, and with them what they take. */
    void revise(Consumer<Waiter> change) {
        cost = new CostSum();
        unboundedCost = new CostSum();
        for (Waiter waiter : all) {
            change.accept(waiter);
            cost.add(waiter.costInLine());
            if (!waiter.isBounded()) {
                unboundedCost.add(waiter.costInLine());
            }
        }
    }
}
