package dev.throttle.internal;

import java.time.Duration;

/** Arithmetic on nanoseconds that saturates instead of overflowing. */
public final class Nanos {

    /**
     * The longest time that is ever added to a clock: about 146 years, so that sums and differences cannot overflow.
     */
    public static final long MAX = Long.MAX_VALUE / 2;

    private static final double PER_SECOND = 1e9;

    private Nanos() {}

    /**
     * {@return a duration in nanoseconds, at most {@link #MAX} and at least its negative}
     *
     * @param duration any duration
     */
    public static long of(Duration duration) {
        if (duration.toSeconds() >= MAX / 1_000_000_000L) {
            return MAX;
        }
        if (duration.toSeconds() <= -MAX / 1_000_000_000L) {
            return -MAX;
        }
        return duration.toNanos();
    }

    /**
     * {@return seconds as nanoseconds, rounded to the nearest, from 0 to {@link #MAX}}
     *
     * @param seconds any number; what is not positive counts as 0
     */
    public static long ofSeconds(double seconds) {
        double nanos = seconds * PER_SECOND;
        if (!(nanos > 0)) {
            return 0;
        }
        return nanos >= MAX ? MAX : Math.round(nanos);
    }

    /**
     * {@return nanoseconds as seconds}
     *
     * @param nanos nanoseconds
     */
    public static double toSeconds(long nanos) {
        return nanos / PER_SECOND;
    }

    /**
     * {@return the sum of two times that are not negative, at most {@link #MAX}}
     *
     * @param a a time, not negative
     * @param b a time, not negative
     */
    public static long plus(long a, long b) {
        return a >= MAX - b ? MAX : a + b;
    }

    /**
     * {@return the later one of two times of a clock that may overflow}
     *
     * @param a a time, or {@link Long#MAX_VALUE}, which stands for one that is not known yet and is later than all
     * @param b the same
     */
    public static long later(long a, long b) {
        if (a == Long.MAX_VALUE || b == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        return b - a > 0 ? b : a;
    }
}
