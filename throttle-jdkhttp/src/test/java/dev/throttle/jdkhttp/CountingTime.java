package dev.throttle.jdkhttp;

import dev.throttle.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The time of the JVM, which counts the entries on its timer. */
final class CountingTime implements TimeSource {

    private final TimeSource system = TimeSource.system();
    private final AtomicInteger entries = new AtomicInteger();

    int entries() {
        return entries.get();
    }

    @Override
    public long nanoTime() {
        return system.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return system.currentTimeMillis();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        system.parkUntil(blocker, instant);
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
        ScheduledTask scheduled = system.schedule(delayNanos, () -> {
            leave.run();
            task.run();
        });
        return () -> {
            scheduled.cancel();
            leave.run();
        };
    }
}
