package dev.throttle.control.limit;

import java.util.Arrays;

/**
 * The state of {@code sliding-window-log}: when how much went within the last window. More may go as soon as enough of
 * that is older than a window.
 */
final class SlidingWindowLog extends FixedLimit {

    private final long limit;
    private final long nanos;

    /** A ring, the oldest at {@link #first}: when something went, each time once. */
    private long[] times = new long[0];
    /** How much had gone in total after each of these times. */
    private long[] totals = new long[0];

    private int first;
    private int size;
    /** How much went before the oldest that is remembered, and in total. */
    private long forgotten;

    private long total;

    SlidingWindowLog(Window window) {
        super(window.unit(), window.perSecond());
        this.limit = window.limit();
        this.nanos = window.nanos();
    }

    @Override
    long dueNanos(long ahead, long amount, long nowNanos) {
        long need = ahead + amount;
        long windows = need == 0 ? 0 : (need - 1) / limit;
        long mayRemain = limit - (need - windows * limit);
        long due = nowNanos;
        if (total - forgotten > mayRemain) {
            long free = times[index(firstWithTotal(total - mayRemain))] + nanos;
            due = free - nowNanos > 0 ? free : nowNanos;
        }
        return windows == 0 ? due : due + WindowGrid.length(windows, nanos);
    }

    /** {@return the position of the oldest by which a total was reached, which it is by the newest at last} */
    private int firstWithTotal(long least) {
        int low = 0;
        int high = size - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (totals[index(middle)] >= least) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    @Override
    public long maxUnits() {
        return limit;
    }

    @Override
    void take(long amount, long nowNanos) {
        total += amount;
        if (size > 0 && times[index(size - 1)] == nowNanos) {
            totals[index(size - 1)] = total;
            return;
        }
        while (size > 0 && nowNanos - times[first] >= nanos) {
            forgotten = totals[first];
            first = index(1);
            size--;
        }
        if (size == times.length) {
            grow();
        }
        times[index(size)] = nowNanos;
        totals[index(size)] = total;
        size++;
    }

    private void grow() {
        int larger = Math.max(16, size * 2);
        times = unrolled(times, larger);
        totals = unrolled(totals, larger);
        first = 0;
    }

    private long[] unrolled(long[] ring, int length) {
        long[] copy = Arrays.copyOf(ring, length);
        int untilEnd = ring.length - first;
        System.arraycopy(ring, first, copy, 0, untilEnd);
        System.arraycopy(ring, 0, copy, untilEnd, first);
        return copy;
    }

    /** What is forgotten need not come back: it is older than a window. */
    @Override
    void release(long amount, long takenAtNanos, long nowNanos) {
        int at = size - 1;
        while (at >= 0 && times[index(at)] - takenAtNanos > 0) {
            at--;
        }
        if (at < 0 || times[index(at)] != takenAtNanos) {
            return;
        }
        long before = at == 0 ? forgotten : totals[index(at - 1)];
        long returned = Math.min(amount, totals[index(at)] - before);
        boolean isEmpty = totals[index(at)] - returned == before;
        for (int i = at; i < size; i++) {
            totals[index(i)] -= returned;
        }
        total -= returned;
        if (isEmpty) {
            for (int i = at + 1; i < size; i++) {
                times[index(i - 1)] = times[index(i)];
                totals[index(i - 1)] = totals[index(i)];
            }
            size--;
        }
    }

    @Override
    long used(long nowNanos) {
        long old = forgotten;
        for (int i = 0; i < size && nowNanos - times[index(i)] >= nanos; i++) {
            old = totals[index(i)];
        }
        return total - old;
    }

    /** What is older than a window does not count, however long the window of the other was. */
    @Override
    boolean resume(FixedLimit before, long nowNanos) {
        if (before instanceof SlidingWindowLog other) {
            times = other.times;
            totals = other.totals;
            first = other.first;
            size = other.size;
            forgotten = other.forgotten;
            total = other.total;
            return true;
        }
        return false;
    }

    private int index(int position) {
        return (int) ((first + (long) position) % times.length);
    }
}
