package dev.throttle;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

    /** What limited this wait last. */
    String reason = "";
    /** How long the wait would have been, if it was rejected; set before {@link #place}. */
    long neededNanos;
    /** When it was let go; set before {@link #place}. */
    long grantedAt;

    @Nullable Waiter previous;

    @Nullable Waiter next;

    int deadlineIndex = WaitQueue.NOT_IN_HEAP;

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

    /** Blocks until the throttle lets this caller go, on the caller's own thread. */
    Permit await() throws InterruptedException, ThrottleRejectedException {
        while (true) {
            switch (place) {
                case GRANTED -> {
                    engine.telemetry().onWaited(reason, grantedAt - arrivedAt);
                    return permit();
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
        long left = wakeAfter == NEVER ? NEVER : wakeAfter - (engine.time().nanoTime() - arrivedAt);
        if (left > 0) {
            engine.time().parkNanos(engine, left);
        } else {
            engine.look();
        }
    }

    /** Gives the place back, or the permit if it was granted meanwhile. */
    private void leave() {
        if (!engine.withdraw(this) && place == Place.GRANTED) {
            permit().giveBack();
        }
    }

    /** Tells an asynchronous caller on an executor. */
    void deliverOn(Executor executor) {
        try {
            executor.execute(this::deliver);
        } catch (RejectedExecutionException e) {
            if (place == Place.GRANTED) {
                permit().giveBack();
            }
            super.completeExceptionally(e);
        }
    }

    /** Completes the future of an asynchronous caller; whoever cancelled it first makes the permit go back. */
    private void deliver() {
        if (place == Place.GRANTED) {
            Permit permit = permit();
            if (super.complete(permit)) {
                engine.telemetry().onWaited(reason, grantedAt - arrivedAt);
            } else {
                permit.giveBack();
            }
        } else if (place == Place.REJECTED) {
            super.completeExceptionally(rejection());
        }
    }

    private Permit permit() {
        return new Permit(engine, call, grantedAt);
    }

    private ThrottleRejectedException rejection() {
        ThrottleRejectedException rejection = engine.rejection(call, neededNanos, allowedNanos, reason);
        engine.telemetry().onRejected(rejection);
        return rejection;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return withdrawIf(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public boolean complete(Permit value) {
        return withdrawIf(super.complete(value));
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        return withdrawIf(super.completeExceptionally(cause));
    }

    private boolean withdrawIf(boolean ended) {
        if (ended) {
            engine.withdraw(this);
        }
        return ended;
    }
}
