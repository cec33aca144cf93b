package dev.throttle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.control.Strategies;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.FleetMetrics;
import dev.throttle.signal.Signal;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

/** The gauge follows the store. */
class FleetMetricsTest {

    @Test
    void theGaugeTellsWhetherTheStoreAnswers() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (RedisProcess redis = new RedisProcess();
                Fleet fleet = fleet(redis)) {
            new FleetMetrics(fleet).bindTo(registry);
            await().until(() -> connected(registry) == 1);
            redis.kill();
            await().until(() -> connected(registry) == 0);
            redis.start();
            await().until(() -> connected(registry) == 1);
        }
    }

    @Test
    void theGaugesTellOfTheOthersAndOfWhatIsLeased() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (RedisProcess redis = new RedisProcess();
                Fleet fleet = fleet(redis)) {
            fleet.slidingWindow(1000, Duration.ofHours(1)).name("before").build();
            new FleetMetrics(fleet).bindTo(registry);
            Throttle throttle = Throttle.builder()
                    .strategy(Strategies.none())
                    .limit(fleet.slidingWindow(1000, Duration.ofHours(1)).build())
                    .build();
            await().until(() -> gauge(registry, "throttle.fleet.processes") == 1);
            try (Fleet other = fleet(redis)) {
                await().until(other::isConnected);
                await().until(() -> gauge(registry, "throttle.fleet.processes") == 2);
            }
            await().until(() -> gauge(registry, "throttle.fleet.processes") == 1);
            for (int i = 0; i < 50; i++) {
                throttle.acquire().complete(Signal.SUCCESS);
            }
            assertThat(registry.get("throttle.fleet.lease").gauges())
                    .extracting(gauge -> gauge.getId().getTag("limit"))
                    .containsExactlyInAnyOrder("before", "fleet-sliding-window");
            assertThat(registry.get("throttle.fleet.lease")
                            .tag("limit", "fleet-sliding-window")
                            .gauge()
                            .value())
                    .isBetween(0.0, 950.0);
        }
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }

    private static Fleet fleet(RedisProcess redis) {
        return RedisFleet.builder("shop", redis.uri())
                .startTimeout(Duration.ofSeconds(20))
                .timeout(Duration.ofSeconds(2))
                .build();
    }

    private static double gauge(SimpleMeterRegistry registry, String name) {
        return registry.get(name).tag("fleet", "shop").gauge().value();
    }

    private static double connected(SimpleMeterRegistry registry) {
        return registry.get("throttle.fleet.connected")
                .tag("fleet", "shop")
                .gauge()
                .value();
    }
}
