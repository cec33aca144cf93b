package dev.throttle.engine;

import org.jspecify.annotations.Nullable;

/**
 * Asynchronous callers that have left the queue and are to be told, in that order, linked by {@link Waiter#next}.
 * Guarded by the engine's lock.
 */
final class ReadyList {

    private @Nullable Waiter first;
    private @Nullable Waiter last;

    void add(Waiter waiter) {
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
    }

    /** {@return all of them, who are not here any more; null if there are none} */
    @Nullable Waiter take() {
        Waiter all = first;
        first = null;
        last = null;
        return all;
    }
}
