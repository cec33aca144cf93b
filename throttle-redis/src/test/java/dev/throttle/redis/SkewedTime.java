package dev.throttle.redis;

import dev.throttle.time.TimeSource;
import java.time.Duration;

/** The time of a machine whose clocks are wrong. */
record SkewedTime(Duration skew) implements TimeSource {

    private static final TimeSource SYSTEM = TimeSource.system();

    @Override
    public long nanoTime() {
        return SYSTEM.nanoTime() + skew.toNanos();
    }

    @Override
    public long currentTimeMillis() {
        return SYSTEM.currentTimeMillis() + skew.toMillis();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        SYSTEM.parkUntil(blocker, instant - skew.toNanos());
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        return SYSTEM.schedule(delayNanos, task);
    }
}
