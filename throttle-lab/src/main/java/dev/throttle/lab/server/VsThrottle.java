package dev.throttle.lab.server;

/**
 * The law of {@code vsthrottle} of Varnish (varnish-modules 0.20): a bucket that gets, with each request, the whole
 * tokens for the time since the last accepted one. The fractions are lost, so requests at a steady rate that is a
 * little too high get no tokens at all. What is left is told as in its manual, in {@code vcl_deliver}, which refusals
 * do not pass: they tell nothing.
 */
final class VsThrottle implements SimulatedServer {

    private static final double ROUNDING = 1e-9;

    private final long capacity;
    private final double perNano;
    private final long initial;
    private long tokens;
    private long acceptedAt;

    VsThrottle(long capacity, long windowNanos, long initial) {
        this.capacity = capacity;
        this.perNano = (double) capacity / windowNanos;
        this.initial = initial;
        this.tokens = initial;
    }

    @Override
    public Answer answer(long now) {
        long left = remaining(now);
        if (left == 0) {
            return new Answer(Answer.TOO_MANY_REQUESTS, Answer.UNKNOWN, resetNanos(now));
        }
        tokens = left - 1;
        acceptedAt = now;
        return new Answer(Answer.OK, tokens, resetNanos(now));
    }

    @Override
    public long remaining(long now) {
        return Math.min(capacity, tokens + gained(now));
    }

    private long gained(long now) {
        return (long) Math.floor((now - acceptedAt) * perNano + ROUNDING);
    }

    @Override
    public long resetNanos(long now) {
        return Math.max(1, acceptedAt + (long) Math.ceil((gained(now) + 1) / perNano - ROUNDING) - now);
    }

    @Override
    public double grantable(long duration) {
        return initial + Math.floor(duration * perNano);
    }

    @Override
    public double sustainedPerSecond() {
        return 1e9 * perNano;
    }
}
