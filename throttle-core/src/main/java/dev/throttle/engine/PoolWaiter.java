package dev.throttle.engine;

import dev.throttle.Permit;
import dev.throttle.Priority;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.CallbackPool;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A call in the line of a pool, and the future of its permit. Whoever takes it out of the line decides what becomes of
 * it.
 */
final class PoolWaiter extends CompletableFuture<Permit> {

    private final PoolLine line;
    final PoolCall call;
    final Priority priority;
    /** Its place among those of its class. */
    final long order;

    final long beganAt;
    /** When it must have gone; {@link Waiter#NEVER} for any time. */
    final long deadline;

    final boolean isBounded;
    /** The thread that waits; null if none does. */
    private final @Nullable Thread thread;

    PoolWaiter(
            PoolLine line,
            PoolCall call,
            long order,
            long beganAt,
            long deadline,
            boolean isBounded,
            @Nullable Thread thread) {
        this.line = line;
        this.call = call;
        this.priority = call.options().priority();
        this.order = order;
        this.beganAt = beganAt;
        this.deadline = deadline;
        this.isBounded = isBounded;
        this.thread = thread;
    }

    boolean isOverdue(long now) {
        return deadline != Waiter.NEVER && deadline - now <= 0;
    }

    /** It was taken out of the line with a permit. */
    void granted(Permit permit, Executor executor) {
        end(
                () -> {
                    if (!super.complete(permit)) {
                        permit.release();
                    }
                },
                executor);
    }

    /** It was taken out of the line without a permit. */
    void failed(Throwable failure, Executor executor) {
        end(() -> super.completeExceptionally(failure), executor);
    }

    /** What depends on the future is the user's code, and runs on the executor. */
    private void end(Runnable completion, Executor executor) {
        if (thread != null) {
            completion.run();
            LockSupport.unpark(thread);
            return;
        }
        Runnable inContext = () -> CallContext.run(call.context(), completion);
        try {
            executor.execute(inContext);
        } catch (RuntimeException refused) {
            CallbackPool.shared().execute(inContext);
        }
    }

    /** The call was given up; {@return whether it was in line} */
    boolean giveUp() {
        boolean left = line.remove(this);
        if (left) {
            super.completeExceptionally(new CancellationException("the call was cancelled"));
            if (thread != null) {
                LockSupport.unpark(thread);
            }
        }
        return left;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        line.remove(this);
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean complete(Permit value) {
        line.remove(this);
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        line.remove(this);
        return super.completeExceptionally(failure);
    }
}
