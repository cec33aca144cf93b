package dev.throttle.lab.server;

/** Grants its capacity anew in each window, the first of which begins with the start. Debts end with their window. */
final class MeterWindow implements Meter {

    private final long capacity;
    private final long windowNanos;
    private long window;
    private long left;

    MeterWindow(long capacity, long windowNanos) {
        this.capacity = capacity;
        this.windowNanos = windowNanos;
        this.left = capacity;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public double left(long now) {
        return now / windowNanos > window ? capacity : left;
    }

    @Override
    public void take(long now, long amount) {
        left = (long) Math.min((double) capacity, left(now) - amount);
        window = now / windowNanos;
    }

    /** What was booked too much in an earlier window is over with it. */
    @Override
    public void correct(long now, long bookedAt, long difference) {
        if (difference > 0 || bookedAt / windowNanos == now / windowNanos) {
            take(now, difference);
        }
    }

    @Override
    public long waitNanos(long now, long amount) {
        return left(now) >= amount ? 0 : resetNanos(now);
    }

    @Override
    public long resetNanos(long now) {
        return (now / windowNanos + 1) * windowNanos - now;
    }

    @Override
    public double grantable(long duration) {
        return (double) capacity * (1 + Math.max(0, duration - 1) / windowNanos);
    }
}
