package dev.throttle.lab.peer;

import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import java.time.Duration;

/**
 * Full speed until a refusal; then the whole client waits for {@code Retry-After} or the reset, or a second where
 * neither is told, with a second more to be on the safe side: what the throttling plugin of GitHub's own client does.
 */
final class GreedyUntilReset extends Peer {

    private static final double UNKNOWN_SECONDS = 1;
    private static final double CAP_SECONDS = 60;

    private long blockedUntil = Long.MIN_VALUE;

    GreedyUntilReset(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    long admitNanos() {
        return blockedUntil == Long.MIN_VALUE ? 0 : Math.max(0, blockedUntil - now());
    }

    @Override
    long retryDelayNanos(int attempts, ResponseHead response, RateHints hints) {
        Duration asked = hints.refusalWait();
        long wait = asked == null ? fullJitter(UNKNOWN_SECONDS, CAP_SECONDS, attempts) : nanos(asked);
        blockedUntil = Math.max(blockedUntil, now() + wait);
        return wait;
    }
}
