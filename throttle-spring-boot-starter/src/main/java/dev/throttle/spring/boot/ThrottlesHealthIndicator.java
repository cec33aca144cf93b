package dev.throttle.spring.boot;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.ThrottleState;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * What the throttles hold back, as details. It is always up: that a server wants to be left alone for a while is no
 * fault of the application, and no restart would mend it.
 */
final class ThrottlesHealthIndicator implements HealthIndicator {

    /** There may be thousands of keys; the endpoint shows them all. */
    private static final int MOST_SHOWN = 50;

    private final ThrottleRegistry throttles;

    ThrottlesHealthIndicator(ThrottleRegistry throttles) {
        this.throttles = throttles;
    }

    @Override
    public Health health() {
        int keys = 0;
        int waiting = 0;
        int heldBack = 0;
        Map<String, String> reasons = new TreeMap<>();
        for (Throttle throttle : throttles.all()) {
            ThrottleSnapshot now = throttle.snapshot();
            keys++;
            waiting += now.waiting();
            if (now.waiting() > 0 || !now.blocked().isZero() || now.state() != ThrottleState.RUNNING) {
                heldBack++;
                if (reasons.size() < MOST_SHOWN) {
                    reasons.put(now.label(), throttle.explainWait());
                }
            }
        }
        return Health.up()
                .withDetail("keys", keys)
                .withDetail("waiting", waiting)
                .withDetail("heldBack", heldBack)
                .withDetail("reasons", reasons)
                .build();
    }
}
