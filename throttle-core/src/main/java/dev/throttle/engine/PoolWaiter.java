package dev.throttle.engine;

import dev.throttle.Permit;
import dev.throttle.Priority;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.CallbackPool;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A call in the line of a pool, and the future of its permit. The thread that takes it out of the line completes it.
 */
final class PoolWaiter extends CompletableFuture<Permit> {

    /** The line that it stands in. */
    interface Line {

        /** Takes a call out of the line; {@return whether it was there} */
        boolean leave(PoolWaiter waiter);
    }

    private final Line line;
    final MemberCalls call;
    final Priority priority;
    /** Its place among those of its class. */
    final long order;

    final long beganAt;
    /** When it must have gone; {@link Waiter#NEVER} for any time. */
    final long deadline;

    final boolean isBounded;
    /** Whether the members were asked for it. Of the thread that gives permits away. */
    boolean wasAsked;
    /** The thread that waits; null if none does. */
    private final @Nullable Thread thread;

    private final UnaryOperator<Permit> permits;

    /**
     * Makes it.
     *
     * @param line takes it out of the line, if it is there
     * @param permits makes the permit of the call of that of a member
     */
    PoolWaiter(
            Line line,
            MemberCalls call,
            long order,
            long beganAt,
            long deadline,
            boolean isBounded,
            @Nullable Thread thread,
            UnaryOperator<Permit> permits) {
        this.line = line;
        this.call = call;
        this.priority = call.options().priority();
        this.order = order;
        this.beganAt = beganAt;
        this.deadline = deadline;
        this.isBounded = isBounded;
        this.thread = thread;
        this.permits = permits;
    }

    boolean isOverdue(long now) {
        return deadline != Waiter.NEVER && deadline - now <= 0;
    }

    /** It was taken out of the line with a permit. */
    void granted(Permit ofMember, Executor executor) {
        Permit permit = permits.apply(ofMember);
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

    /** {@return whether it was in line, which it has left} */
    private boolean leave() {
        return line.leave(this);
    }

    /** The call was given up; {@return whether it was in line} */
    boolean giveUp() {
        boolean left = leave();
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
        leave();
        return super.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean complete(Permit value) {
        leave();
        return super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        leave();
        return super.completeExceptionally(failure);
    }
}
