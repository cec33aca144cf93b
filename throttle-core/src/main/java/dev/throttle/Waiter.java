package dev.throttle;

import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Nanos;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A caller in the queue, blocking or asynchronous. All fields but the future itself belong to the throttle's lock
 * unless they say otherwise.
 */
final class Waiter extends CompletableFuture<Permit> {

    /** Where a waiter stands. Every waiter leaves {@code QUEUED} exactly once, under the lock. */
    enum Place {
        QUEUED,
        GRANTED,
        REJECTED,
        CANCELLED
    }

    /** A deadline or an instant to wake at that never comes. */
    static final long NEVER = Long.MAX_VALUE;

    final Engine engine;
    final ThrottledCall call;
    /** The thread to wake; null if the caller is asynchronous. */
    final @Nullable Thread thread;
    /** When this wait began: the caller's arrival, or the end of the attempt that is to be repeated. */
    final long arrivedAt;
    /** The longest wait, from {@link #arrivedAt} on, or {@link #NEVER}. */
    final long allowedNanos;

    /** Read without lock by the waiting thread. */
    volatile Place place = Place.QUEUED;
    /** When the waiting thread has to look again, from {@link #arrivedAt} on; read by it without lock. */
    volatile long wakeAfterNanos = NEVER;

    /** What this caller waited for; set before {@link #place}. */
    private String reason = "";
    /** How long the wait would have been, if it was rejected; set before {@link #place}. */
    private long neededNanos;
    /** How long the wait was, if it was let go; set before {@link #place}. */
    private long waitedNanos;
    /** Its one permit, if it was let go; set before {@link #place}. */
    private @Nullable Permit permit;

    /** Whether it waits for the end of its backoff, beside the line. */
    boolean resting;

    @Nullable Waiter previous;

    @Nullable Waiter next;

    int heapIndex = WaiterHeap.NOT_IN_HEAP;

    Waiter(Engine engine, ThrottledCall call, boolean blocking, long allowedNanos) {
        this.engine = engine;
        this.call = call;
        this.thread = blocking ? Thread.currentThread() : null;
        this.arrivedAt = call.waitBeganAt();
        this.allowedNanos = allowedNanos;
        this.wakeAfterNanos = allowedNanos;
    }

    boolean isBlocking() {
        return thread != null;
    }

    boolean isRetry() {
        return call.isRetry();
    }

    int permits() {
        return call.options().permits();
    }

    /** How much of the allowed wait is left. */
    long leftNanos(long now) {
        return allowedNanos == NEVER ? NEVER : allowedNanos - (now - arrivedAt);
    }

    /** How much of its backoff is left. */
    long backoffLeftNanos(long now) {
        return call.backoffNanos() - (now - arrivedAt);
    }

    /** It was let go: makes its permit. */
    void grant(String waitedFor, long now) {
        reason = waitedFor;
        waitedNanos = now - arrivedAt;
        permit = new Permit(engine, call, now);
    }

    /** It was turned away. */
    void refuse(long needed, String why) {
        reason = why;
        neededNanos = needed;
    }

    void unpark() {
        LockSupport.unpark(thread);
    }

    /** Tells its thread when to look at the head again, unless something else wakes it before. */
    void lookAgainAfter(long waitNanos, long now) {
        long wake = waitNanos == ControllerSet.UNTIL_SIGNAL
                ? allowedNanos
                : Math.min(allowedNanos, Nanos.plus(now - arrivedAt, waitNanos));
        boolean sooner = wake < wakeAfterNanos;
        wakeAfterNanos = wake;
        if (sooner && !Thread.currentThread().equals(thread)) {
            unpark();
        }
    }

    /** Blocks until the throttle lets this caller go, on the caller's own thread. */
    Permit await() throws InterruptedException, ThrottleRejectedException {
        while (true) {
            switch (place) {
                case GRANTED -> {
                    engine.telemetry().onWaited(reason, waitedNanos);
                    return call.past(granted());
                }
                case REJECTED -> throw rejection();
                case CANCELLED -> throw new CancellationException("the call was cancelled while it waited");
                case QUEUED -> {
                    if (Thread.interrupted()) {
                        leave();
                        throw new InterruptedException("interrupted while waiting for the throttle");
                    }
                    park();
                }
            }
        }
    }

    private void park() {
        long wakeAfter = wakeAfterNanos;
        long now = engine.now();
        long left = wakeAfter == NEVER ? NEVER : wakeAfter - (now - arrivedAt);
        if (left > 0) {
            engine.time().parkUntil(engine, now + left);
        } else {
            engine.look(this);
        }
    }

    /** Gives the place back, or the permit if it was granted meanwhile. */
    void leave() {
        engine.withdraw(this);
        giveBackPermit();
    }

    private void giveBackPermit() {
        if (place == Place.GRANTED) {
            granted().release();
        } else {
            call.leaveGuards();
        }
    }

    private Permit granted() {
        return Objects.requireNonNull(permit, "a caller that was let go has a permit");
    }

    /** Tells an asynchronous caller, on the throttle's executor. */
    void deliver() {
        try {
            engine.executor().execute(this::tell);
        } catch (Throwable e) {
            // Not on this thread, which may be the timer's: what depends on the future is the user's code.
            CallbackPool.shared().execute(() -> fail(e));
        }
    }

    private void tell() {
        if (place == Place.GRANTED) {
            Permit given = granted();
            try {
                call.past(given);
            } catch (ThrottleRejectedException e) {
                super.completeExceptionally(e);
                return;
            }
            if (super.complete(given)) {
                engine.telemetry().onWaited(reason, waitedNanos);
            } else if (!isGiven(given)) {
                given.release();
            }
        } else if (isDone()) {
            call.leaveGuards();
        } else {
            super.completeExceptionally(rejection());
        }
    }

    /** The executor refused to tell the caller. */
    private void fail(Throwable cause) {
        if (place == Place.REJECTED) {
            tell();
        } else if (!isGiven(granted())) {
            granted().release();
            super.completeExceptionally(cause);
        }
    }

    private boolean isGiven(Permit given) {
        return isDone() && !isCompletedExceptionally() && getNow(null) == given;
    }

    private ThrottleRejectedException rejection() {
        call.leaveGuards();
        return engine.reject(call, neededNanos, allowedNanos, reason);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return leaveIf(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public boolean complete(Permit value) {
        return leaveIf(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        return leaveIf(super.completeExceptionally(cause));
    }

    /** Somebody else than the throttle ended the wait. A thread that has been let go keeps its permit. */
    private boolean leaveIf(boolean ended) {
        if (ended && (engine.withdraw(this) || !isBlocking())) {
            giveBackPermit();
        }
        return ended;
    }
}
