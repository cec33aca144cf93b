package dev.throttle.internal;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets something happen once a minute at most, and counts what it has kept from happening. Thread-safe; its lock is
 * held for a comparison.
 */
public final class Seldom {

    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private boolean happened;
    private long lastAt;
    private long skipped;

    /**
     * Asks whether it may happen now.
     *
     * @param nowNanos the time
     * @return how many times it did not happen since the last time it did; negative if it may not
     */
    public long tryNow(long nowNanos) {
        lock.lock();
        try {
            if (happened && nowNanos - lastAt < MINUTE_NANOS) {
                skipped++;
                return -1;
            }
            long before = skipped;
            happened = true;
            lastAt = nowNanos;
            skipped = 0;
            return before;
        } finally {
            lock.unlock();
        }
    }
}
