package dev.throttle;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one throttle that have to wait, first come first served: a linked list, so that leaving from the
 * middle is constant time, and a heap of those whose wait is bounded, so that the most impatient is found at once.
 *
 * <p>A call that tries again stands before all that wait for their first attempt, and among its like by the arrival of
 * the call, so that a refusal does not cost a call its place. Not thread-safe: guarded by the throttle's lock.
 */
final class WaitQueue {

    static final int NOT_IN_HEAP = -1;

    private @Nullable Waiter head;
    private @Nullable Waiter tail;
    /** The last of the calls that try again, which stand at the front; null if there are none. */
    private @Nullable Waiter lastRetry;

    private @Nullable Waiter[] heap = new @Nullable Waiter[0];
    private int bounded;
    private int size;
    private int asynchronous;
    private long permits;

    @Nullable Waiter head() {
        return head;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    boolean hasAsynchronous() {
        return asynchronous > 0;
    }

    /** {@return the permits that all callers in the queue will take} */
    long permits() {
        return permits;
    }

    void add(Waiter waiter) {
        Waiter before = tail;
        if (waiter.isRetry()) {
            before = lastRetry;
            while (before != null && before.call.arrivedAt() - waiter.call.arrivedAt() > 0) {
                before = before.previous;
            }
            if (before == lastRetry) {
                lastRetry = waiter;
            }
        }
        linkAfter(before, waiter);
        size++;
        permits += waiter.permits();
        if (!waiter.isBlocking()) {
            asynchronous++;
        }
        if (waiter.allowedNanos != Waiter.NEVER) {
            if (bounded == heap.length) {
                heap = Arrays.copyOf(heap, Math.max(8, bounded * 2));
            }
            siftUp(bounded++, waiter);
        }
    }

    private void linkAfter(@Nullable Waiter before, Waiter waiter) {
        Waiter after = before == null ? head : before.next;
        waiter.previous = before;
        waiter.next = after;
        if (before == null) {
            head = waiter;
        } else {
            before.next = waiter;
        }
        if (after == null) {
            tail = waiter;
        } else {
            after.previous = waiter;
        }
    }

    void remove(Waiter waiter) {
        if (waiter == lastRetry) {
            lastRetry = waiter.previous; // whoever stands before a retry is one
        }
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
        size--;
        permits -= waiter.permits();
        if (!waiter.isBlocking()) {
            asynchronous--;
        }
        if (waiter.deadlineIndex != NOT_IN_HEAP) {
            removeFromHeap(waiter.deadlineIndex);
        }
        if (size == 0) {
            heap = new @Nullable Waiter[0]; // a rush that is over must not hold its memory
        }
    }

    /** {@return the caller whose allowed wait ends first; null if nobody's wait is bounded} */
    @Nullable Waiter mostImpatient() {
        return bounded == 0 ? null : heap[0];
    }

    private void removeFromHeap(int index) {
        at(index).deadlineIndex = NOT_IN_HEAP;
        Waiter last = at(--bounded);
        heap[bounded] = null;
        if (index != bounded) {
            siftDown(index, last);
            if (at(index) == last) {
                siftUp(index, last);
            }
        }
    }

    private void siftUp(int start, Waiter waiter) {
        int index = start;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (!endsBefore(waiter, at(parent))) {
                break;
            }
            put(index, at(parent));
            index = parent;
        }
        put(index, waiter);
    }

    private void siftDown(int start, Waiter waiter) {
        int index = start;
        while (2 * index + 1 < bounded) {
            int child = 2 * index + 1;
            if (child + 1 < bounded && endsBefore(at(child + 1), at(child))) {
                child++;
            }
            if (!endsBefore(at(child), waiter)) {
                break;
            }
            put(index, at(child));
            index = child;
        }
        put(index, waiter);
    }

    private void put(int index, Waiter waiter) {
        heap[index] = waiter;
        waiter.deadlineIndex = index;
    }

    private Waiter at(int index) {
        Waiter waiter = heap[index];
        assert waiter != null;
        return waiter;
    }

    private static boolean endsBefore(Waiter a, Waiter b) {
        return (a.arrivedAt + a.allowedNanos) - (b.arrivedAt + b.allowedNanos) < 0;
    }
}
