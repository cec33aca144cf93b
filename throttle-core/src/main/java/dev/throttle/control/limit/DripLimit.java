package dev.throttle.control.limit;

/** The state of {@code token-bucket} and {@code leaky-bucket}: what was taken drips in again at a rate. */
final class DripLimit extends FixedLimit {

    private final Gcra taken;
    private final long stock;
    private final long maxWaitNanos;

    /**
     * Makes a limit of which nothing is taken.
     *
     * @param stock how many permits may be taken at a time; {@link Gcra#ANY} for a spacing, where only the permits
     *     before a request count
     */
    DripLimit(String unit, Rate rate, long stock, long maxWaitNanos) {
        super(unit, rate.perSecond());
        this.taken = new Gcra(rate);
        this.stock = stock;
        this.maxWaitNanos = maxWaitNanos;
    }

    private boolean isSpacing() {
        return stock == Gcra.ANY;
    }

    @Override
    long dueNanos(long ahead, long amount, long nowNanos) {
        return nowNanos + taken.waitNanos(isSpacing() ? ahead : ahead + amount - stock, nowNanos);
    }

    @Override
    public long maxUnits() {
        return stock;
    }

    @Override
    public long maxWaitNanos() {
        return maxWaitNanos;
    }

    @Override
    void take(long amount, long nowNanos) {
        taken.take(amount, nowNanos);
    }

    @Override
    void release(long amount, long takenAtNanos, long nowNanos) {
        taken.release(amount, takenAtNanos, nowNanos);
    }

    @Override
    long used(long nowNanos) {
        return taken.permits(nowNanos);
    }

    @Override
    boolean resume(FixedLimit before, long nowNanos) {
        if (before instanceof DripLimit other && other.isSpacing() == isSpacing()) {
            taken.resume(other.taken, stock, other.stock, nowNanos);
            return true;
        }
        return false;
    }

    /** A spacing has no stock: what went elsewhere keeps the next one away for the time of one. */
    @Override
    long mostToTakeOver() {
        return isSpacing() ? 1 : stock;
    }
}
