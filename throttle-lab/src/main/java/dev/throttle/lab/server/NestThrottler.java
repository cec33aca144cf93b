package dev.throttle.lab.server;

/**
 * The law of &#64;nestjs/throttler 6.7 with its storage in memory: each accepted request counts for a window, and a
 * refusal blocks for a whole block, after which nothing counts any more. The reset that it tells is that of another
 * window, which begins with the first request after the end of the last one. A refusal tells {@code Retry-After}, the
 * rest of the block, and nothing else.
 */
final class NestThrottler implements SimulatedServer {

    private final int capacity;
    private final long windowNanos;
    private final long blockNanos;
    private SlidingWindow hits;
    /** The end of the block that began last. */
    private long blockedUntil;

    private boolean isBlocked;
    private long toldReset;

    NestThrottler(int capacity, long windowNanos, long initial, long blockNanos) {
        this.capacity = capacity;
        this.windowNanos = windowNanos;
        this.blockNanos = blockNanos;
        this.hits = new SlidingWindow(capacity, windowNanos, initial);
    }

    @Override
    public Answer answer(long now) {
        if (now >= toldReset) {
            toldReset = now + windowNanos;
        }
        if (isBlocked && now >= blockedUntil) {
            isBlocked = false;
            hits = new SlidingWindow(capacity, windowNanos, capacity);
        }
        if (!isBlocked) {
            Answer answer = hits.answer(now);
            if (answer.isAccepted()) {
                return answer.reset(toldReset - now);
            }
            isBlocked = true;
            blockedUntil = now + blockNanos;
        }
        return new Answer(Answer.TOO_MANY_REQUESTS, Answer.UNKNOWN, blockedUntil - now).retryAfter(blockedUntil - now);
    }

    @Override
    public long remaining(long now) {
        if (!isBlocked) {
            return hits.remaining(now);
        }
        return now < blockedUntil ? 0 : capacity;
    }

    @Override
    public long resetNanos(long now) {
        if (!isBlocked) {
            return hits.resetNanos(now);
        }
        return now < blockedUntil ? blockedUntil - now : windowNanos;
    }

    @Override
    public double grantable(long duration) {
        return hits.grantable(duration);
    }

    @Override
    public double sustainedPerSecond() {
        return hits.sustainedPerSecond();
    }
}
