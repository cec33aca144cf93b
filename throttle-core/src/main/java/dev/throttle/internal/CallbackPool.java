package dev.throttle.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Completes the futures of asynchronous callers, where the user named no executor. What depends on a future may block,
 * even on another call; so nothing ever waits here for a thread: as many as are needed, all daemons, none when idle.
 * They inherit nothing from the callers on whose threads they are made.
 */
public final class CallbackPool {

    private static final long IDLE_SECONDS = 10;

    private CallbackPool() {}

    /** {@return the pool, shared by the whole library} */
    public static Executor shared() {
        return Holder.POOL;
    }

    private static final class Holder {

        private static final AtomicInteger NUMBER = new AtomicInteger();

        private static final Executor POOL = new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread = new Thread(null, task, "throttle-callback-" + NUMBER.incrementAndGet(), 0, false);
                    thread.setDaemon(true);
                    return thread;
                });
    }
}
