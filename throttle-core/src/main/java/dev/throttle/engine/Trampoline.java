package dev.throttle.engine;

import dev.throttle.internal.Faults;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Tells asynchronous callers what became of them, one after the other. What they do next may make more callers ready on
 * the same thread, where the executor runs tasks on the spot; those get in line here, so that calls cannot nest without
 * end.
 */
final class Trampoline {

    private static final Faults FAULTS = new Faults("the callback of a caller whose wait is over");

    private static final ThreadLocal<@Nullable ArrayDeque<Waiter>> AT_WORK = new ThreadLocal<>();

    private Trampoline() {}

    /**
     * Delivers, or leaves it to the delivery that this thread is at.
     *
     * @param first the first of the callers, linked by {@code next}; no longer known to anybody else
     */
    static void deliver(@Nullable Waiter first) {
        if (first == null) {
            return;
        }
        ArrayDeque<Waiter> atWork = AT_WORK.get();
        if (atWork != null) {
            addAll(first, atWork);
            return;
        }
        ArrayDeque<Waiter> ready = new ArrayDeque<>();
        addAll(first, ready);
        AT_WORK.set(ready);
        try {
            for (Waiter waiter = ready.poll(); waiter != null; waiter = ready.poll()) {
                try {
                    waiter.deliver();
                } catch (Throwable e) {
                    FAULTS.report(e); // the others have their permits already
                }
            }
        } finally {
            AT_WORK.remove();
        }
    }

    private static void addAll(Waiter first, ArrayDeque<Waiter> ready) {
        Waiter waiter = first;
        while (waiter != null) {
            Waiter following = waiter.next;
            waiter.next = null;
            ready.add(waiter);
            waiter = following;
        }
    }
}
