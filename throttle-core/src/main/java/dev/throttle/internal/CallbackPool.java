package dev.throttle.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Completes the futures of asynchronous callers, where the user named no executor: few daemon threads, none when idle.
 */
public final class CallbackPool {

    private static final long IDLE_SECONDS = 10;

    private CallbackPool() {}

    /** {@return the pool, shared by the whole library} */
    public static Executor shared() {
        return Holder.POOL;
    }

    private static final class Holder {

        private static final Executor POOL = newPool();

        private static Executor newPool() {
            int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
            AtomicInteger number = new AtomicInteger();
            ThreadPoolExecutor pool = new ThreadPoolExecutor(
                    threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                        Thread thread = new Thread(task, "throttle-callback-" + number.incrementAndGet());
                        thread.setDaemon(true);
                        return thread;
                    });
            pool.allowCoreThreadTimeOut(true);
            return pool;
        }
    }
}
