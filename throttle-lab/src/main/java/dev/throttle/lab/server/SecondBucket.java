package dev.throttle.lab.server;

/**
 * The law of the request rate limiter of Spring Cloud Gateway 2025.1 on Redis: a bucket that counts time in whole
 * seconds of the clock, so that the tokens of a second come together when it begins.
 */
final class SecondBucket implements SimulatedServer {

    private static final long SECOND = 1_000_000_000L;
    private static final double ROUNDING = 1e-9;

    private final long capacity;
    private final double perSecond;
    private final long initial;
    /** How long the second of the start has lasted. */
    private final long phaseNanos;

    private double tokens;
    private long second;

    SecondBucket(long capacity, long windowNanos, long initial, long phaseNanos) {
        this.capacity = capacity;
        this.perSecond = (double) SECOND / windowNanos * capacity;
        this.initial = initial;
        this.phaseNanos = phaseNanos;
        this.tokens = initial;
    }

    @Override
    public Answer answer(long now) {
        tokens = tokens(now);
        second = second(now);
        boolean accepted = remaining(now) > 0;
        if (accepted) {
            tokens--;
        }
        return new Answer(accepted ? Answer.OK : Answer.TOO_MANY_REQUESTS, remaining(now), resetNanos(now));
    }

    private long second(long now) {
        return (now + phaseNanos) / SECOND;
    }

    private double tokens(long now) {
        return Math.min((double) capacity, tokens + (second(now) - second) * perSecond);
    }

    @Override
    public long remaining(long now) {
        return (long) Math.floor(tokens(now) + ROUNDING);
    }

    @Override
    public long resetNanos(long now) {
        double missing = remaining(now) + 1 - tokens(now);
        long seconds = Math.max(1, (long) Math.ceil(missing / perSecond - ROUNDING));
        return (second(now) + seconds) * SECOND - phaseNanos - now;
    }

    @Override
    public double grantable(long duration) {
        return initial + Math.floor(second(Math.max(0, duration - 1)) * perSecond + ROUNDING);
    }

    @Override
    public double sustainedPerSecond() {
        return perSecond;
    }
}
