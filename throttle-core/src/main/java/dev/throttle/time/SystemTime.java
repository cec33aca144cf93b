package dev.throttle.time;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The time of this JVM. */
final class SystemTime implements TimeSource {

    static final SystemTime INSTANCE = new SystemTime();

    /** How long the timer's thread outlives its last task. */
    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor timer;

    private SystemTime() {
        timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(null, task, "throttle-timer", 0, false);
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true); // a cancelled wait must not keep its call reachable until it was due
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return System.currentTimeMillis();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        LockSupport.parkNanos(blocker, instant - System.nanoTime());
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        Future<?> future = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /** {@return how many tasks wait on the timer} For tests that look for leaks. */
    int scheduledTasks() {
        return timer.getQueue().size();
    }
}
