package dev.throttle.lab.torture;

import dev.throttle.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The time that throttles and servers live by: faster than that of the clients, so that a {@code Retry-After} of
 * seconds is over in a blink. It counts the entries on its timer.
 */
final class ScaledTime implements TimeSource {

    private static final long FACTOR = 50;

    private final TimeSource system = TimeSource.system();
    private final long begin = system.nanoTime();
    private final long beginMillis = system.currentTimeMillis();
    private final AtomicInteger entries = new AtomicInteger();

    /** {@return tasks that have neither run nor been taken off} */
    int entries() {
        return entries.get();
    }

    @Override
    public long nanoTime() {
        return (system.nanoTime() - begin) * FACTOR;
    }

    @Override
    public long currentTimeMillis() {
        return beginMillis + nanoTime() / 1_000_000;
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        long left = instant - nanoTime();
        if (left > 0) {
            system.parkUntil(blocker, system.nanoTime() + left / FACTOR + 1);
        }
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        AtomicBoolean gone = new AtomicBoolean();
        entries.incrementAndGet();
        Runnable leave = () -> {
            if (gone.compareAndSet(false, true)) {
                entries.decrementAndGet();
            }
        };
        ScheduledTask scheduled = system.schedule(delayNanos / FACTOR + 1, () -> {
            leave.run();
            task.run();
        });
        return () -> {
            scheduled.cancel();
            leave.run();
        };
    }
}
