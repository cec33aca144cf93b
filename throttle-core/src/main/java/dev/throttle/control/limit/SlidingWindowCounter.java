package dev.throttle.control.limit;

/** The state of {@code sliding-window-counter}. */
final class SlidingWindowCounter extends FixedLimit {

    /** Products of an amount of so many bits and a limit do not overflow. */
    private static final int MOST_BITS = 32;

    private final long limit;
    private final long nanos;
    private final WindowGrid grid;

    SlidingWindowCounter(Window window) {
        super(window.unit(), window.perSecond());
        this.limit = window.limit();
        this.nanos = window.nanos();
        this.grid = new WindowGrid(nanos);
    }

    /**
     * For the head of the queue the exact time. For others the least that the windows themselves demand, should it not
     * fit into the running one.
     */
    @Override
    long dueNanos(long permitsAhead, long permits, long nowNanos) {
        long elapsed = grid.elapsed(nowNanos);
        long current = grid.current(nowNanos);
        long due = offset(grid.previous(nowNanos), limit - current - permitsAhead - permits);
        if (due < nanos) {
            return nowNanos + Math.max(0, due - elapsed);
        }
        long windows = FixedWindow.windows(permitsAhead + permits, current, limit);
        if (windows <= 1) {
            long next = offset(current, limit - permitsAhead - permits);
            return nowNanos + nanos - elapsed + (permitsAhead == 0 ? next : 0);
        }
        return nowNanos + FixedWindow.startOf(windows, nanos, elapsed);
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
    public long maxUnits() {
        return limit;
    }

    @Override
    void take(long permits, long nowNanos) {
        grid.take(permits, nowNanos);
    }

    @Override
    void release(long permits, long admittedAtNanos, long nowNanos) {
        grid.release(permits, admittedAtNanos);
    }

    @Override
    long used(long nowNanos) {
        double left = 1 - (double) grid.elapsed(nowNanos) / nanos;
        return grid.current(nowNanos) + (long) Math.ceil(grid.previous(nowNanos) * left);
    }

    @Override
    boolean resume(FixedLimit before, long nowNanos) {
        if (before instanceof SlidingWindowCounter other) {
            grid.resume(other.grid, other.used(nowNanos), nowNanos);
            return true;
        }
        return false;
    }
}
