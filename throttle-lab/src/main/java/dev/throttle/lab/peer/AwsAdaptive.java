package dev.throttle.lab.peer;

import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;

/**
 * The adaptive mode of AWS SDK v2, by its published specification: a token bucket over all attempts whose rate follows
 * a cubic after the first throttling, three attempts a call, exponential backoff with full jitter (100 ms, after a
 * throttling 1 s, 20 s at most, and what the server asks), and a budget of retries.
 */
final class AwsAdaptive extends Peer {

    private static final int MAX_ATTEMPTS = 3;
    private static final double BASE_SECONDS = 0.1;
    private static final double THROTTLED_BASE_SECONDS = 1;
    private static final double CAP_SECONDS = 20;
    private static final int BUDGET = 500;
    private static final int RETRY_COST = 5;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int OK = 200;

    private final CubicRate rate;
    private int budget = BUDGET;

    AwsAdaptive(Surroundings surroundings) {
        super(surroundings);
        this.rate = new CubicRate(now() / SECOND);
    }

    @Override
    long admitNanos() {
        return (long) (rate.acquire(now() / SECOND) * SECOND);
    }

    @Override
    void answered(ResponseHead response, long sentAt) {
        rate.update(now() / SECOND, response.status() == TOO_MANY_REQUESTS);
        if (response.status() == OK) {
            budget = Math.min(BUDGET, budget + 1);
        }
    }

    @Override
    long retryDelayNanos(int attempts, ResponseHead response, RateHints hints) {
        if (attempts >= MAX_ATTEMPTS || budget < RETRY_COST) {
            return GIVE_UP;
        }
        budget -= RETRY_COST;
        boolean throttled = response.status() == TOO_MANY_REQUESTS;
        long backoff = fullJitter(throttled ? THROTTLED_BASE_SECONDS : BASE_SECONDS, CAP_SECONDS, attempts);
        return Math.max(backoff, nanos(hints.retryAfter()));
    }
}
