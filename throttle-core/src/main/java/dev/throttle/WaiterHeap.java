package dev.throttle;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Callers ordered by an instant of each. Each knows its index, so that any of them can be taken out in logarithmic
 * time; therefore a caller is in one heap at most. Not thread-safe: guarded by the throttle's lock.
 */
final class WaiterHeap {

    static final int NOT_IN_HEAP = -1;

    private final ToLongFunction<Waiter> instant;
    private @Nullable Waiter[] heap = new @Nullable Waiter[0];
    private int size;

    /**
     * Makes an empty heap.
     *
     * @param instant must not change while a caller is in the heap; instants are compared by subtraction
     */
    WaiterHeap(ToLongFunction<Waiter> instant) {
        this.instant = instant;
    }

    int size() {
        return size;
    }

    /** {@return the caller with the earliest instant; null if there is none} */
    @Nullable Waiter first() {
        return size == 0 ? null : heap[0];
    }

    void add(Waiter waiter) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, Math.max(8, size + (size >> 1)));
        }
        siftUp(size++, waiter);
    }

    void remove(Waiter waiter) {
        int index = waiter.heapIndex;
        waiter.heapIndex = NOT_IN_HEAP;
        Waiter last = at(--size);
        heap[size] = null;
        if (index != size) {
            siftDown(index, last);
            if (at(index) == last) {
                siftUp(index, last);
            }
        }
        if (size == 0) {
            heap = new @Nullable Waiter[0]; // a rush that is over must not hold its memory
        }
    }

    private void siftUp(int start, Waiter waiter) {
        int index = start;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (!isBefore(waiter, at(parent))) {
                break;
            }
            put(index, at(parent));
            index = parent;
        }
        put(index, waiter);
    }

    private void siftDown(int start, Waiter waiter) {
        int index = start;
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && isBefore(at(child + 1), at(child))) {
                child++;
            }
            if (!isBefore(at(child), waiter)) {
                break;
            }
            put(index, at(child));
            index = child;
        }
        put(index, waiter);
    }

    private boolean isBefore(Waiter a, Waiter b) {
        return instant.applyAsLong(a) - instant.applyAsLong(b) < 0;
    }

    private void put(int index, Waiter waiter) {
        heap[index] = waiter;
        waiter.heapIndex = index;
    }

    private Waiter at(int index) {
        return Objects.requireNonNull(heap[index]);
    }
}
