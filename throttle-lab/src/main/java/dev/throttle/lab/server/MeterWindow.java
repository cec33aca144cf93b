package dev.throttle.lab.server;

/** Grants its capacity anew in each window. Debts end with their window. */
final class MeterWindow implements Meter {

    private final long capacity;
    private final long windowNanos;
    private final long initial;
    private final WindowStart start;
    /** The earliest end of the first window. */
    private final long firstEnd;

    /** The end of the window that began last; the start if none has begun. */
    private long end;

    private long left;

    /** Windows without gaps, the first of which begins with the start and is full. */
    MeterWindow(long capacity, long windowNanos) {
        this(capacity, windowNanos, capacity, 0, WindowStart.GRID);
    }

    /**
     * Windows of which the first one has lasted for a phase at the start. One that begins with a request has begun if
     * some of it is used, or if it is older than the start.
     */
    MeterWindow(long capacity, long windowNanos, long initial, long phaseNanos, WindowStart start) {
        this.capacity = capacity;
        this.windowNanos = windowNanos;
        this.initial = initial;
        this.start = start;
        this.firstEnd = windowNanos - phaseNanos;
        boolean begun = start == WindowStart.GRID || initial < capacity || phaseNanos > 0;
        this.end = begun ? firstEnd : 0;
        this.left = initial;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public double left(long now) {
        return now < end ? left : capacity;
    }

    @Override
    public void take(long now, long amount) {
        left = (long) Math.min((double) capacity, left(now) - amount);
        end = endAt(now);
    }

    /** What was booked too much in an earlier window is over with it. */
    @Override
    public void correct(long now, long bookedAt, long difference) {
        if (difference > 0 || bookedAt >= endAt(now) - windowNanos) {
            take(now, difference);
        }
    }

    @Override
    public long waitNanos(long now, long amount) {
        return left(now) >= amount ? 0 : resetNanos(now);
    }

    /** If no window has begun, the next request begins one that lasts as long. */
    @Override
    public long resetNanos(long now) {
        return endAt(now) - now;
    }

    /** {@return the end of the window in which a request that comes now counts} */
    private long endAt(long now) {
        if (now < end) {
            return end;
        }
        return switch (start) {
            case GRID -> end + ((now - end) / windowNanos + 1) * windowNanos;
            case FIRST_REQUEST -> now + windowNanos;
        };
    }

    @Override
    public double grantable(long duration) {
        long afterFirst = duration - 1 - firstEnd;
        long laterWindows = afterFirst < 0 ? 0 : afterFirst / windowNanos + 1;
        return initial + (double) laterWindows * capacity;
    }
}
