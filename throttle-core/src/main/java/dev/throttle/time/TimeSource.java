package dev.throttle.time;

import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Everything the library needs of time: two clocks, a way to park, and a timer. It is the only door to time, so that a
 * test or a simulation that replaces it ({@code VirtualTime} of throttle-testing) replaces all of it.
 *
 * <p>Implementations are thread-safe.
 */
public interface TimeSource {

    /** {@return the time source of this JVM; its timer is one daemon thread shared by the whole library} */
    static TimeSource system() {
        return new TimeSource() {
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
                Future<?> future = SystemTimer.schedule(delayNanos, task);
                return () -> future.cancel(false);
            }
        };
    }

    /**
     * {@return monotonic time in nanoseconds from an arbitrary origin} Values may only be compared by subtraction, as
     * with {@link System#nanoTime()}.
     */
    long nanoTime();

    /** {@return wall-clock time in milliseconds since the epoch, for comparison with the dates that servers send} */
    long currentTimeMillis();

    /**
     * Parks the calling thread until it is unparked, interrupted, or an instant has come, whichever comes first; like
     * {@link java.util.concurrent.locks.LockSupport#parkNanos(Object, long)} it may also return for no reason. It takes
     * an instant, not a duration, so that the time that passes before the thread parks is not waited twice.
     *
     * <p>An unpark that comes before the thread parks makes this method return. So an implementation must not block on
     * the way to the park in anything that parks, such as the locks of {@code java.util.concurrent}.
     *
     * @param blocker what the thread waits for, shown in thread dumps
     * @param instant a value of {@link #nanoTime()}, at most {@link Long#MAX_VALUE} nanoseconds ahead, which stands for
     *     never; one that has come already returns at once
     */
    void parkUntil(Object blocker, long instant);

    /**
     * Runs a task once after a delay, on the timer's thread.
     *
     * @param delayNanos the delay; zero or less means as soon as possible
     * @param task short and non-blocking; the library never puts user code here
     * @return a handle that takes the task off the timer
     */
    ScheduledTask schedule(long delayNanos, Runnable task);

    /** A task on the timer. */
    @FunctionalInterface
    interface ScheduledTask {

        /** Takes the task off the timer at once; without effect when it has run. */
        void cancel();
    }
}
