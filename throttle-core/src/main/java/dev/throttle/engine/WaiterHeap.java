package dev.throttle.engine;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Callers ordered by an instant of each. Each knows its index, so that any of them can be taken out in logarithmic
 * time. Not thread-safe: guarded by the engine's lock.
 */
abstract class WaiterHeap {

    static final int NOT_IN_HEAP = -1;

    /** Those who wait for their turn: a caller is in one heap of this kind at most. */
    abstract static class ByTurn extends WaiterHeap {

        @Override
        final int index(Waiter waiter) {
            return waiter.turnIndex;
        }

        @Override
        final void index(Waiter waiter, int index) {
            waiter.turnIndex = index;
        }
    }

    private @Nullable Waiter[] heap = new @Nullable Waiter[0];
    private int size;

    /** The instant of a caller, which does not change while it is in the heap; compared by subtraction. */
    abstract long instant(Waiter waiter);

    /** Where in this heap a caller is. */
    abstract int index(Waiter waiter);

    abstract void index(Waiter waiter, int index);

    final boolean contains(Waiter waiter) {
        return index(waiter) != NOT_IN_HEAP;
    }

    final int size() {
        return size;
    }

    /** {@return the caller with the earliest instant; null if there is none} */
    final @Nullable Waiter first() {
        return size == 0 ? null : heap[0];
    }

    final void forEach(Consumer<Waiter> action) {
        for (int i = 0; i < size; i++) {
            action.accept(at(i));
        }
    }

    final void add(Waiter waiter) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, Math.max(8, size + (size >> 1)));
        }
        siftUp(size++, waiter);
    }

    final void remove(Waiter waiter) {
        int index = index(waiter);
        index(waiter, NOT_IN_HEAP);
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
        long difference = instant(a) - instant(b);
        return difference < 0 || (difference == 0 && a.order < b.order);
    }

    private void put(int index, Waiter waiter) {
        heap[index] = waiter;
        index(waiter, index);
    }

    private Waiter at(int index) {
        return Objects.requireNonNull(heap[index]);
    }
}
