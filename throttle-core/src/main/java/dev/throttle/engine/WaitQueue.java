package dev.throttle.engine;

import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The callers of one throttle that have to wait. Most stand in line, first come first served: first the calls that try
 * again, by the arrival of the call, so that a refusal does not cost a call its place; then the others, in a linked
 * list. A heap of those whose wait is bounded tells whose patience ends first.
 *
 * <p>A call that has to wait for something of its own, such as its backoff, rests beside the line until that is over,
 * so that it holds nobody up meanwhile. Nothing here takes more than logarithmic time. Not thread-safe: guarded by the
 * engine's lock.
 */
final class WaitQueue {

    private @Nullable Waiter head;
    private @Nullable Waiter tail;

    private final WaiterHeap retries = new Turns() {
        @Override
        long instant(Waiter waiter) {
            return waiter.call.arrivedAt();
        }
    };

    private final WaiterHeap resting = new Turns() {
        @Override
        long instant(Waiter waiter) {
            return waiter.arrivedAt + waiter.rest.nanos();
        }
    };

    private final WaiterHeap deadlines = new WaiterHeap() {
        @Override
        long instant(Waiter waiter) {
            return waiter.arrivedAt + waiter.allowedNanos;
        }

        @Override
        int index(Waiter waiter) {
            return waiter.deadlineIndex;
        }

        @Override
        void index(Waiter waiter, int index) {
            waiter.deadlineIndex = index;
        }
    };

    private int inLine;
    private int asynchronousInLine;
    private final CostSum costInLine = new CostSum();
    private long lined;

    /** A caller is in one heap of this kind at most. */
    private abstract static class Turns extends WaiterHeap {

        @Override
        int index(Waiter waiter) {
            return waiter.turnIndex;
        }

        @Override
        void index(Waiter waiter, int index) {
            waiter.turnIndex = index;
        }
    }

    /** {@return the first in line; null if nobody stands there} */
    @Nullable Waiter head() {
        Waiter retry = retries.first();
        return retry == null ? head : retry;
    }

    /** {@return whether nobody stands in line; somebody may be resting} */
    boolean isLineEmpty() {
        return inLine == 0;
    }

    /** {@return all that wait, in line or resting} */
    int size() {
        return inLine + resting.size();
    }

    /** {@return how many times somebody took a place so far} */
    long waitsSoFar() {
        return lined;
    }

    boolean hasAsynchronousInLine() {
        return asynchronousInLine > 0;
    }

    /** {@return what all callers in line will take} */
    Cost costInLine() {
        return costInLine.toCost();
    }

    /** {@return the caller in line whose allowed wait ends first; null if nobody's wait is bounded} */
    @Nullable Waiter earliestDeadline() {
        return deadlines.first();
    }

    /** {@return the caller whose rest ends first; null if nobody rests} */
    @Nullable Waiter firstToRise() {
        return resting.first();
    }

    /** {@return somebody who waits, in line or resting; null if nobody does} */
    @Nullable Waiter any() {
        Waiter first = head();
        return first == null ? firstToRise() : first;
    }

    /** The time since an instant does not count for anybody's bound. */
    void prolong(long since, long now) {
        resting.forEach(waiter -> waiter.prolong(since, now));
        List<Waiter> bounded = new ArrayList<>();
        deadlines.forEach(bounded::add);
        bounded.forEach(deadlines::remove);
        for (Waiter waiter : bounded) {
            waiter.prolong(since, now);
            deadlines.add(waiter);
        }
    }

    void rest(Waiter waiter) {
        waiter.resting = true;
        waiter.order = lined++;
        resting.add(waiter);
    }

    /** The rest of a caller is over. */
    void rise(Waiter waiter) {
        resting.remove(waiter);
        waiter.resting = false;
        lineUp(waiter);
    }

    void lineUp(Waiter waiter) {
        waiter.order = lined++;
        if (waiter.isRetry()) {
            retries.add(waiter);
        } else {
            append(waiter);
        }
        inLine++;
        costInLine.add(waiter.costInLine());
        if (!waiter.isBlocking()) {
            asynchronousInLine++;
        }
        if (waiter.allowedNanos != Waiter.NEVER) {
            deadlines.add(waiter);
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

    void remove(Waiter waiter) {
        if (waiter.resting) {
            resting.remove(waiter);
            waiter.resting = false;
            return;
        }
        if (retries.contains(waiter)) {
            retries.remove(waiter);
        } else {
            unlink(waiter);
        }
        inLine--;
        if (inLine == 0) {
            costInLine.clear();
        } else {
            costInLine.subtract(waiter.costInLine());
        }
        if (!waiter.isBlocking()) {
            asynchronousInLine--;
        }
        if (deadlines.contains(waiter)) {
            deadlines.remove(waiter);
        }
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
