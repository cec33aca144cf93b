package dev.throttle.jdkhttp;

import dev.throttle.internal.CallbackPool;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Runs tasks on the threads of others, and on those of the library if these do not take them. */
final class SendingThreads {

    /** Where a future of the JDK's client runs what depends on it. */
    private static final Executor DEPENDENTS = new CompletableFuture<Void>().defaultExecutor();

    private SendingThreads() {}

    /** Runs a task on an executor, or on {@link CallbackPool} if there is none or it does not take the task. */
    static void execute(@Nullable Executor preferred, Runnable task) {
        if (preferred != null) {
            try {
                preferred.execute(task);
                return;
            } catch (Throwable e) {
                // An executor that is full or shut down; the task must run nevertheless.
            }
        }
        CallbackPool.shared().execute(task);
    }

    /** Runs a task where the JDK's client runs what depends on its futures. */
    static void executeDependents(Runnable task) {
        execute(DEPENDENTS, task);
    }
}
