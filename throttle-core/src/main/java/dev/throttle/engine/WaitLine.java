package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one class in line: first the calls that try again, by the arrival of the call, so that a refusal does
 * not cost a call its place; then the others, in a linked list. While a server is away the calls that try again line up
 * behind the others. Guarded by the engine's lock.
 */
final class WaitLine {

    private final WaiterHeap retries = new WaiterHeap.ByTurn() {
        @Override
        long instant(Waiter waiter) {
            return waiter.call.arrivedAt();
        }
    };

    private final CostSum cost = new CostSum();
    private @Nullable Waiter head;
    private @Nullable Waiter tail;
    /** What its callers got so far, by weight; belongs to {@link Turns}. */
    long turn;
    /** How long its first waits for something of its own, as of the last choice; belongs to {@link Turns}. */
    long ownNanos;

    /** {@return the first in line; null if the line is empty} */
    @Nullable Waiter first() {
        Waiter retry = retries.first();
        return retry == null ? head : retry;
    }

    /** {@return who came first of those that do not try again; null if there are none} */
    @Nullable Waiter oldestNewcomer() {
        Waiter oldest = head;
        while (oldest != null && oldest.isRetry()) {
            oldest = oldest.next;
        }
        return oldest;
    }

    boolean isEmpty() {
        return head == null && retries.size() == 0;
    }

    /** {@return what all callers in this line will take} */
    Cost cost() {
        return cost.toCost();
    }

    void add(Waiter waiter) {
        if (waiter.isRetry() && !waiter.goesBehind) {
            retries.add(waiter);
        } else {
            append(waiter);
        }
        cost.add(waiter.costInLine());
    }

    void remove(Waiter waiter) {
        if (retries.contains(waiter)) {
            retries.remove(waiter);
        } else {
            unlink(waiter);
        }
        if (isEmpty()) {
            cost.clear();
        } else {
            cost.subtract(waiter.costInLine());
        }
    }

    /** Changes its callers, and then what they take as others have to reckon with it. */
    void revise(Consumer<Waiter> change) {
        retries.forEach(change);
        for (Waiter waiter = head; waiter != null; waiter = waiter.next) {
            change.accept(waiter);
        }
        cost.clear();
        retries.forEach(waiter -> cost.add(waiter.costInLine()));
        for (Waiter waiter = head; waiter != null; waiter = waiter.next) {
            cost.add(waiter.costInLine());
        }
    }

    private void append(Waiter waiter) {
        waiter.previous = tail;
        if (tail == null) {
            head = waiter;
        } else {
            tail.next = waiter;
        }
        tail = waiter;
    }

    private void unlink(Waiter waiter) {
        if (waiter.previous == null) {
            head = waiter.next;
        } else {
            waiter.previous.next = waiter.next;
        }
        if (waiter.next == null) {
            tail = waiter.previous;
        } else {
            waiter.next.previous = waiter.previous;
        }
        waiter.previous = null;
        waiter.next = null;
    }
}
