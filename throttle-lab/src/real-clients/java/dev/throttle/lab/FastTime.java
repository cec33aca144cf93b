package dev.throttle.lab;

import dev.throttle.time.TimeSource;

/** The time of this JVM, a number of times faster, for a client of a server whose time is. */
record FastTime(long factor) implements TimeSource {

    @Override
    public long nanoTime() {
        return TimeSource.system().nanoTime() * factor;
    }

    @Override
    public long currentTimeMillis() {
        return TimeSource.system().currentTimeMillis();
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        TimeSource system = TimeSource.system();
        long now = system.nanoTime();
        system.parkUntil(blocker, now + rounded(instant - now * factor));
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        return TimeSource.system().schedule(rounded(delayNanos), task);
    }

    private long rounded(long nanos) {
        return nanos / factor + (nanos % factor == 0 ? 0 : 1);
    }
}
