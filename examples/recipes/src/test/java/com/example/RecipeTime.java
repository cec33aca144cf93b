package com.example;

import dev.throttle.testing.VirtualTime;
import dev.throttle.time.TimeSource;
import java.time.Instant;

/** Time that passes at once when somebody waits, beginning in 2026: some servers tell instants. */
record RecipeTime(VirtualTime virtual) implements TimeSource {

    private static final long BEGIN = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    @Override
    public long nanoTime() {
        return virtual.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return BEGIN + virtual.currentTimeMillis();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        virtual.parkUntil(blocker, instant);
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        return virtual.schedule(delayNanos, task);
    }
}
