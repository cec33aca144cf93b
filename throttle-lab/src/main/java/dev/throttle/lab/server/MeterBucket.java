package dev.throttle.lab.server;

/** A bucket that is refilled continuously. Debts are worked off before anything is left. */
final class MeterBucket implements Meter {

    private static final double ROUNDING = 1e-6;

    private final long capacity;
    private final double perNano;
    private final long initial;
    private double level;
    private long at;

    MeterBucket(long capacity, long windowNanos, long initial) {
        this.capacity = capacity;
        this.perNano = (double) capacity / windowNanos;
        this.initial = initial;
        this.level = initial;
    }

    @Override
    public long capacity() {
        return capacity;
    }

    @Override
    public double left(long now) {
        return Math.min((double) capacity, level + (now - at) * perNano);
    }

    @Override
    public void take(long now, long amount) {
        level = Math.min((double) capacity, left(now) - amount);
        at = now;
    }

    @Override
    public void correct(long now, long bookedAt, long difference) {
        take(now, difference);
    }

    @Override
    public long waitNanos(long now, long amount) {
        double missing = amount - left(now);
        return missing <= ROUNDING ? 0 : Math.max(1, (long) Math.ceil(missing / perNano));
    }

    @Override
    public long resetNanos(long now) {
        return waitNanos(now, capacity);
    }

    @Override
    public double grantable(long duration) {
        return initial + duration * perNano;
    }
}
