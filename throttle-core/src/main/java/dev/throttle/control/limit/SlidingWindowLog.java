package dev.throttle.control.limit;

/**
 * The state of {@code sliding-window-log}: the times of the last permits, as many as go in a window. The next permit
 * may go one window after the one that is that many before it.
 */
final class SlidingWindowLog extends FixedLimit {

    private final int limit;
    private final long nanos;
    /** A ring, the oldest at {@link #first}. It grows up to the limit. */
    private long[] times = new long[0];

    private int first;
    private int size;

    SlidingWindowLog(Window window) {
        super(window.unit(), window.perSecond());
        this.limit = window.limit();
        this.nanos = window.nanos();
    }

    @Override
    long dueNanos(long permitsAhead, long permits, long nowNanos) {
        long last = permitsAhead + permits - 1;
        long windows = last / limit;
        long due = nowNanos;
        long older = size + last % limit - limit;
        if (older >= 0) {
            long free = at((int) older) + nanos;
            due = free - nowNanos > 0 ? free : nowNanos;
        }
        return windows == 0 ? due : due + FixedWindow.startOf(windows, nanos, 0);
    }

    @Override
    public long maxUnits() {
        return limit;
    }

    @Override
    void take(long permits, long nowNanos) {
        for (int i = 0; i < permits; i++) {
            add(nowNanos);
        }
    }

    private void add(long now) {
        if (size == limit) {
            times[first] = now;
            first = (first + 1) % limit;
            return;
        }
        if (size == times.length) {
            long[] larger = new long[(int) Math.min(limit, Math.max(16, size * 2L))];
            for (int i = 0; i < size; i++) {
                larger[i] = at(i);
            }
            times = larger;
            first = 0;
        }
        times[index(size++)] = now;
    }

    /**
     * Older permits that were forgotten meanwhile need not come back: the newest one went at least a window after them.
     */
    @Override
    void release(long permits, long admittedAtNanos, long nowNanos) {
        int newer = 0;
        while (newer < size && at(size - 1 - newer) - admittedAtNanos > 0) {
            newer++;
        }
        int returned = 0;
        while (returned < permits && newer + returned < size && at(size - 1 - newer - returned) == admittedAtNanos) {
            returned++;
        }
        int to = size - newer - returned;
        for (int i = 0; i < newer; i++) {
            times[index(to + i)] = at(size - newer + i);
        }
        size -= returned;
    }

    private long at(int position) {
        return times[index(position)];
    }

    private int index(int position) {
        return (int) ((first + (long) position) % times.length);
    }
}
