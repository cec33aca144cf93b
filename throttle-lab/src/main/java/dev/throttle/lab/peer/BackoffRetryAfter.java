package dev.throttle.lab.peer;

import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;

/**
 * What most programs do: each refused call waits on its own, as long as {@code Retry-After} asks, or else a random part
 * of a wait that doubles from 200 ms to 60 s.
 */
class BackoffRetryAfter extends Peer {

    private static final double BASE_SECONDS = 0.2;
    private static final double CAP_SECONDS = 60;

    BackoffRetryAfter(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    final long retryDelayNanos(int attempts, ResponseHead response, RateHints hints) {
        long backoff = fullJitter(BASE_SECONDS, CAP_SECONDS, attempts);
        return hints.retryAfter() == null ? backoff : nanos(hints.retryAfter()) + fullJitter(BASE_SECONDS, 1, 1);
    }
}
