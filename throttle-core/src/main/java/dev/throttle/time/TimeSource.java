package dev.throttle.time;

import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * Provides the time to the whole library: two clocks, parking, and a timer. The library uses no other source of time,
 * so tests and simulations can replace it, for example with {@code VirtualTime} of throttle-testing.
 *
 * <p>Implementations must be thread-safe.
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
     * {@link java.util.concurrent.locks.LockSupport#parkNanos(Object, long)} it may also return for no reason. The
     * argument is an instant instead of a duration, so that time that passes before the thread parks does not make the
     * wait longer.
     *
     * <p>An unpark that happens before the thread parks makes this method return. An implementation must therefore not
     * use anything that itself parks, such as the locks of {@code java.util.concurrent}, before it parks the thread.
     *
     * @param blocker what the thread waits for, shown in thread dumps
     * @param instant a value of {@link #nanoTime()}, at most {@link Long#MAX_VALUE} nanoseconds ahead, which means
     *     never; if it has passed, the method returns at once
     */
    void parkUntil(Object blocker, long instant);

    /**
     * Runs a task once after a delay, on the timer's thread.
     *
     * @param delayNanos the delay; zero or less for as soon as possible
     * @param task the task, short and non-blocking; the library never runs user code here
     * @return a handle that cancels the task
     */
    ScheduledTask schedule(long delayNanos, Runnable task);

    /** A task on the timer. */
    @FunctionalInterface
    interface ScheduledTask {

        /** Removes the task from the timer at once. Has no effect if the task has run. */
        void cancel();
    }
}
