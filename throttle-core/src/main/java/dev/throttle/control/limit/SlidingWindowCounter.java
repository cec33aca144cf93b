package dev.throttle.control.limit;

/** The state of {@code sliding-window-counter}. */
final class SlidingWindowCounter extends WindowGrid {

    /** Products of an amount of so many bits and a limit do not overflow. */
    private static final int MOST_BITS = 32;

    SlidingWindowCounter(Window window) {
        super(window);
    }

    /**
     * For the head of the queue the exact time. For others the least that the windows themselves demand, should it not
     * fit into the running one.
     */
    @Override
    long dueNanos(long permitsAhead, long permits, long nowNanos) {
        long elapsed = elapsed(nowNanos);
        long current = current(nowNanos);
        long due = offset(previous(nowNanos), limit - current - permitsAhead - permits);
        if (due < nanos) {
            return nowNanos + Math.max(0, due - elapsed);
        }
        long windows = windows(permitsAhead + permits, nowNanos);
        if (windows <= 1) {
            long next = offset(current, limit - permitsAhead - permits);
            return nowNanos + nanos - elapsed + (permitsAhead == 0 ? next : 0);
        }
        return nowNanos + startOf(windows, nowNanos);
    }

    /**
     * {@return how far into a window enough of the previous one has been left behind for some permits to be free,
     * beside those that are to be taken; the length of the window if not within it}
     */
    private long offset(long previous, long free) {
        if (free < 0) {
            return nanos;
        }
        if (previous <= free) {
            return 0;
        }
        // previous * (nanos - offset) <= free * nanos, without overflow, and rounded down where a debt makes it huge
        int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(previous) - MOST_BITS);
        long rest = shift == 0
                ? free * (nanos % previous) / previous
                : free * (nanos % previous >> shift) / ((previous >> shift) + 1);
        return nanos - free * (nanos / previous) - rest;
    }

    @Override
    long used(long nowNanos) {
        double left = 1 - (double) elapsed(nowNanos) / nanos;
        return current(nowNanos) + (long) Math.ceil(previous(nowNanos) * left);
    }
}
