package dev.throttle.jdkhttp;

import dev.throttle.fixtures.OtherTime;
import dev.throttle.time.TimeSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The time of the JVM, which counts the entries on its timer. */
final class CountingTime extends OtherTime {

    private final AtomicInteger entries = new AtomicInteger();

    CountingTime() {
        super(TimeSource.system());
    }

    int entries() {
        return entries.get();
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
        ScheduledTask scheduled = super.schedule(delayNanos, () -> {
            leave.run();
            task.run();
        });
        return () -> {
            scheduled.cancel();
            leave.run();
        };
    }
}
