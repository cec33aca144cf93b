package dev.throttle.reality.load;

import dev.throttle.reality.Limit;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import java.net.URI;
import java.time.Duration;

/** Resilience4j's RateLimiter, which is told the server's limit, and backs off where it is refused nevertheless. */
final class InformedRateLimiter extends Peer {

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    private final RateLimiter limiter;

    InformedRateLimiter(URI uri, Wire wire, Limit limit) {
        super(uri, wire);
        limiter = RateLimiter.of(
                "informed",
                RateLimiterConfig.custom()
                        .limitForPeriod(limit.calls())
                        .limitRefreshPeriod(limit.per())
                        .timeoutDuration(LONGEST_WAIT)
                        .build());
    }

    @Override
    void admit() {
        if (!limiter.acquirePermission()) {
            throw RequestNotPermitted.createRequestNotPermitted(limiter);
        }
    }
}
