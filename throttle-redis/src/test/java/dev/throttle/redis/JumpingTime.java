package dev.throttle.redis;

import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The time of the machine, which can be put forward. */
final class JumpingTime implements TimeSource {

    private static final TimeSource SYSTEM = TimeSource.system();

    private final AtomicLong ahead = new AtomicLong();

    void jump(Duration time) {
        ahead.addAndGet(time.toNanos());
    }

    @Override
    public long nanoTime() {
        return SYSTEM.nanoTime() + ahead.get();
    }

    @Override
    public long currentTimeMillis() {
        return SYSTEM.currentTimeMillis() + ahead.get() / 1_000_000;
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        SYSTEM.parkUntil(blocker, instant - ahead.get());
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        return SYSTEM.schedule(delayNanos, task);
    }
}
