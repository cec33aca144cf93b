package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.collectGarbage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleRegistry;
import dev.throttle.micrometer.ThrottleMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Gauges of a client's throttles. */
class GaugesTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private ThrottlingHttpClient measuredClient() throws Exception {
        ThrottleRegistry throttles =
                TestThrottles.registry(Duration.ofMillis(1)).build();
        new ThrottleMetrics(throttles).bindTo(registry);
        ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(FakeClient.refusing(1))
                .throttles(throttles)
                .build();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://api.example/")).build();
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
        return client;
    }

    @Test
    void noGaugeReadsNaNWhileTheClientIsInUse() throws Exception {
        ThrottlingHttpClient client = measuredClient();
        collectGarbage();
        assertThat(registry.getMeters()).isNotEmpty();
        for (Meter meter : registry.getMeters()) {
            meter.measure()
                    .forEach(measurement -> assertThat(measurement.getValue())
                            .as(meter.getId().toString())
                            .isNotNaN());
        }
        assertThat(registry.get("throttle.requests")
                        .tag("key", "http://api.example:80")
                        .tag("outcome", "throttled")
                        .meter()
                        .measure()
                        .iterator()
                        .next()
                        .getValue())
                .isEqualTo(1);
        Reference.reachabilityFence(client);
    }

    @Test
    void noGaugeKeepsADroppedClientAlive() throws Exception {
        WeakReference<ThrottlingHttpClient> dropped = new WeakReference<>(measuredClient());
        await().untilAsserted(() -> {
            collectGarbage();
            assertThat(dropped.get()).isNull();
            assertThat(registry.getMeters()).isEmpty();
        });
    }
}
