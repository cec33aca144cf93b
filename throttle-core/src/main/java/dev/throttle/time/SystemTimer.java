package dev.throttle.time;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The timer of this JVM: one daemon thread, shared by the whole library. */
final class SystemTimer {

    /** How long the timer's thread outlives its last task. */
    private static final long IDLE_SECONDS = 10;

    private static final ScheduledThreadPoolExecutor TIMER = newTimer();

    private SystemTimer() {}

    private static ScheduledThreadPoolExecutor newTimer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(null, task, "throttle-timer", 0, false);
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true); // a cancelled wait must not keep its call reachable until it was due
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    static Future<?> schedule(long delayNanos, Runnable task) {
        return TIMER.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }
}
