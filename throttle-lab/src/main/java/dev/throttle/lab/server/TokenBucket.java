package dev.throttle.lab.server;

/** A bucket of whole tokens into which one token drips at fixed times, and which holds no more than its capacity. */
final class TokenBucket implements SimulatedServer {

    private static final double ROUNDING_NANOS = 0.5;

    private final long capacity;
    private final double dripNanos;
    private final long initial;
    private long tokens;
    private long drips;

    TokenBucket(long capacity, long windowNanos, long initial) {
        this.capacity = capacity;
        this.dripNanos = (double) windowNanos / capacity;
        this.initial = initial;
        this.tokens = initial;
    }

    @Override
    public Answer answer(long now) {
        long fallen = drips(now);
        tokens = remaining(now);
        drips = fallen;
        boolean accepted = tokens > 0;
        if (accepted) {
            tokens--;
        }
        return new Answer(accepted ? Answer.OK : Answer.TOO_MANY_REQUESTS, tokens, resetNanos(now));
    }

    @Override
    public long resetNanos(long now) {
        return Math.max(1, (long) Math.ceil((drips(now) + 1) * dripNanos) - now);
    }

    private long drips(long now) {
        return (long) Math.floor((now + ROUNDING_NANOS) / dripNanos);
    }

    @Override
    public long remaining(long now) {
        return Math.min(capacity, tokens + drips(now) - drips);
    }

    @Override
    public double grantable(long duration) {
        return initial + drips(duration);
    }

    @Override
    public double sustainedPerSecond() {
        return 1e9 / dripNanos;
    }
}
