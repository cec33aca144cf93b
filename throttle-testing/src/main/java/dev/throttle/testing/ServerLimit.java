package dev.throttle.testing;

import java.time.Duration;

/** The arithmetic of a server's limit: a window that is renewed at once, or a bucket that fills steadily. */
final class ServerLimit {

    private static final double NANOS_PER_SECOND = 1e9;

    private final int capacity;
    private final long periodNanos;
    private final boolean isBucket;

    private boolean started;
    private long since;
    private double left;

    ServerLimit(int capacity, Duration period, boolean isBucket) {
        this.capacity = capacity;
        this.periodNanos = period.toNanos();
        this.isBucket = isBucket;
        this.left = capacity;
    }

    /** Takes one request; {@return whether there was one left} */
    boolean take(long now) {
        renew(now);
        if (left < 1) {
            return false;
        }
        left--;
        return true;
    }

    private void renew(long now) {
        if (!started) {
            started = true;
            since = now;
        }
        long passed = now - since;
        if (isBucket) {
            left = Math.min(capacity, left + (double) passed * capacity / periodNanos);
            since = now;
        } else if (passed >= periodNanos) {
            left = capacity;
            since += passed / periodNanos * periodNanos;
        }
    }

    int capacity() {
        return capacity;
    }

    int remaining() {
        return (int) left;
    }

    /** {@return the seconds until the limit is full again, rounded up} As of the last request. */
    long resetSeconds(long now) {
        double nanos = isBucket ? (capacity - left) * periodNanos / capacity : (double) since + periodNanos - now;
        return (long) Math.ceil(nanos / NANOS_PER_SECOND);
    }

    /** {@return the seconds until one request is accepted, rounded up} As of the last request. */
    long retryAfterSeconds(long now) {
        double nanos = isBucket ? (1 - left) * periodNanos / capacity : (double) since + periodNanos - now;
        return (long) Math.ceil(nanos / NANOS_PER_SECOND);
    }

    long periodSeconds() {
        return (long) Math.ceil(periodNanos / NANOS_PER_SECOND);
    }
}
