package dev.throttle.control.limit;

/** The state of {@code fixed-window}. */
final class FixedWindow extends FixedLimit {

    private final long limit;
    private final long nanos;
    private final WindowGrid grid;

    FixedWindow(Window window) {
        super(window.unit(), window.perSecond());
        this.limit = window.limit();
        this.nanos = window.nanos();
        this.grid = new WindowGrid(nanos);
    }

    @Override
    long dueNanos(long permitsAhead, long permits, long nowNanos) {
        long windows = windows(permitsAhead + permits, grid.current(nowNanos), limit);
        return windows == 0 ? nowNanos : nowNanos + startOf(windows, nanos, grid.elapsed(nowNanos));
    }

    /** {@return how many windows from the running one on the last of some permits goes, at the earliest} */
    static long windows(long permits, long current, long limit) {
        if (permits == 0) {
            return current > limit ? 1 : 0;
        }
        long later = permits - Math.max(0, limit - current);
        return later <= 0 ? 0 : 1 + (later - 1) / limit;
    }

    /** {@return how long until a window begins, so many after the one that runs} */
    static long startOf(long windows, long nanos, long elapsed) {
        return Math.min(windows, Long.MAX_VALUE / 4 / nanos) * nanos - elapsed;
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
        return grid.current(nowNanos);
    }

    @Override
    boolean resume(FixedLimit before, long nowNanos) {
        if (before instanceof FixedWindow other) {
            grid.resume(other.grid, other.used(nowNanos), nowNanos);
            return true;
        }
        return false;
    }
}
