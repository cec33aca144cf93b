package dev.throttle;

import org.jspecify.annotations.Nullable;

/**
 * The callers of one throttle that have to wait. Most stand in line, first come first served: a linked list, so that
 * leaving from the middle is constant time, and a heap of those whose wait is bounded, so that the most impatient is
 * found at once.
 *
 * <p>A call that tries again stands before all that wait for their first attempt, and among its like by the arrival of
 * the call, so that a refusal does not cost a call its place. A call that backs off rests beside the line until its
 * backoff is over, so that it holds nobody up meanwhile. Not thread-safe: guarded by the throttle's lock.
 */
final class WaitQueue {

    private @Nullable Waiter head;
    private @Nullable Waiter tail;
    /** The last of the calls that try again, which stand at the front; null if there are none. */
    private @Nullable Waiter lastRetry;

    private final WaiterHeap deadlines = new WaiterHeap(waiter -> waiter.arrivedAt + waiter.allowedNanos);
    private final WaiterHeap resting = new WaiterHeap(waiter -> waiter.arrivedAt + waiter.call.backoffNanos());

    private int inLine;
    private int asynchronousInLine;
    private long permitsInLine;

    /** {@return the first in line; null if nobody stands there} */
    @Nullable Waiter head() {
        return head;
    }

    /** {@return whether nobody stands in line; somebody may be resting} */
    boolean isLineEmpty() {
        return inLine == 0;
    }

    /** {@return all that wait, in line or resting} */
    int size() {
        return inLine + resting.size();
    }

    boolean hasAsynchronousInLine() {
        return asynchronousInLine > 0;
    }

    /** {@return the permits that all callers in line will take} */
    long permitsInLine() {
        return permitsInLine;
    }

    /** {@return the caller in line whose allowed wait ends first; null if nobody's wait is bounded} */
    @Nullable Waiter mostImpatient() {
        return deadlines.first();
    }

    /** {@return the resting caller whose backoff ends first; null if nobody rests} */
    @Nullable Waiter firstToRise() {
        return resting.first();
    }

    void rest(Waiter waiter) {
        waiter.resting = true;
        resting.add(waiter);
    }

    /** The backoff of a caller is over. */
    void rise(Waiter waiter) {
        resting.remove(waiter);
        waiter.resting = false;
        lineUp(waiter);
    }

    void lineUp(Waiter waiter) {
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
        inLine++;
        permitsInLine += waiter.permits();
        if (!waiter.isBlocking()) {
            asynchronousInLine++;
        }
        if (waiter.allowedNanos != Waiter.NEVER) {
            deadlines.add(waiter);
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
        if (waiter.resting) {
            resting.remove(waiter);
            waiter.resting = false;
            return;
        }
        if (waiter == lastRetry) {
            lastRetry = waiter.previous; // whoever stands before a retry is one
        }
        unlink(waiter);
        inLine--;
        permitsInLine -= waiter.permits();
        if (!waiter.isBlocking()) {
            asynchronousInLine--;
        }
        if (waiter.heapIndex != WaiterHeap.NOT_IN_HEAP) {
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
