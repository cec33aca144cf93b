package dev.throttle.observe;

/** A bucket: what is in use comes back evenly. */
final class BucketUsage implements Usage {

    private final double perNano;
    private double used;
    private long at;
    private boolean hasBegun;

    /**
     * Makes it.
     *
     * @param perNano how much comes back in a nanosecond
     */
    BucketUsage(double perNano) {
        this.perNano = perNano;
    }

    @Override
    public double used(long now) {
        if (hasBegun) {
            used = Math.max(0, used - (now - at) * perNano);
        }
        hasBegun = true;
        at = now;
        return used;
    }

    @Override
    public void add(double amount, long now) {
        used = Math.max(0, used(now) + amount);
    }

    @Override
    public long untilNanos(double most, long now) {
        return Math.max(0, (long) Math.ceil((used(now) - most) / perNano));
    }

    @Override
    public long renewalNanos(long now) {
        return untilNanos(0, now);
    }
}
