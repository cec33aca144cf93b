package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The gauge follows the store. */
class FleetMetricsTest {

    @Test
    void theGaugeTellsWhetherTheStoreAnswers() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (RedisProcess redis = new RedisProcess();
                Fleet fleet = Fleet.builder("shop", redis.uri())
                        .startTimeout(Duration.ofSeconds(20))
                        .build()) {
            new FleetMetrics(fleet).bindTo(registry);
            assertThat(connected(registry)).isEqualTo(1);
            redis.kill();
            await().until(() -> connected(registry) == 0);
            redis.start();
            await().until(() -> connected(registry) == 1);
        }
    }

    private static double connected(SimpleMeterRegistry registry) {
        return registry.get("throttle.fleet.connected")
                .tag("fleet", "shop")
                .gauge()
                .value();
    }
}
