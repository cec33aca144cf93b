package dev.throttle.jdkhttp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where asynchronous calls go on after a wait.
 *
 * <p>A wrapped client may run the user's code on the thread that it is asked on, and that may block. So a call never
 * goes on where permits are delivered, and there is always a thread for the next one.
 */
final class SendingThreads {

    private static final long IDLE_SECONDS = 10;

    /** Where a future of the JDK's client runs what depends on it. */
    private static final Executor DEPENDENTS = new CompletableFuture<Void>().defaultExecutor();

    private SendingThreads() {}

    /** {@return daemon threads, as many as are needed and none when idle, which inherit nothing from their makers} */
    static Executor shared() {
        return Holder.POOL;
    }

    /** Runs a task on an executor, or on {@link #shared()} if there is none or it does not take the task. */
    static void execute(@Nullable Executor preferred, Runnable task) {
        if (preferred != null) {
            try {
                preferred.execute(task);
                return;
            } catch (Throwable e) {
                // An executor that is full or shut down; the task must run nevertheless.
            }
        }
        shared().execute(task);
    }

    /** Runs a task where the JDK's client runs what depends on its futures. */
    static void executeDependents(Runnable task) {
        execute(DEPENDENTS, task);
    }

    private static final class Holder {

        private static final Executor POOL = newPool();

        private static Executor newPool() {
            AtomicInteger number = new AtomicInteger();
            return new ThreadPoolExecutor(
                    0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                        // Inherited values would be those of an arbitrary caller.
                        Thread thread = new Thread(null, task, "throttle-send-" + number.incrementAndGet(), 0, false);
                        thread.setDaemon(true);
                        return thread;
                    });
        }
    }
}
