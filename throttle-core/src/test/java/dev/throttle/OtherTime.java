package dev.throttle;

import dev.throttle.time.TimeSource;

/** A time that does what another does, but for what a test changes. */
abstract class OtherTime implements TimeSource {

    private final TimeSource time;

    OtherTime(TimeSource time) {
        this.time = time;
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public long currentTimeMillis() {
        return time.currentTimeMillis();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        time.parkUntil(blocker, instant);
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        return time.schedule(delayNanos, task);
    }
}
