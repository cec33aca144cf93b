package dev.throttle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** However many keys a program makes, only so many have meters. */
class BoundedMetersTest {

    private static final Signal TOLD =
            new Signal(Outcome.SUCCESS, new RateHints(null, List.of(new Quota("daily", 10L, 5L, null, null))));

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .time(time)
            .executor(Runnable::run)
            .idleExpiry(Duration.ofMinutes(1))
            .build();

    private Set<String> keys() {
        return registry.getMeters().stream()
                .map(meter -> String.valueOf(meter.getId().getTag("key")))
                .collect(Collectors.toSet());
    }

    @Test
    void aThousandKeysHaveMeters() {
        new ThrottleMetrics(throttles).bindTo(registry);
        for (int i = 0; i < 1100; i++) {
            throttles.get("key" + i);
        }
        assertThat(keys()).hasSize(1000).contains("key0", "key999").doesNotContain("key1000");
    }

    @Test
    void aKeyBeyondTheBoundIsShownWhenThereIsRoomAndSomethingHappensToIt() {
        throttles.addListener(new RegistryBinding(registry, 2));
        throttles.get("a");
        throttles.get("b");
        Throttle third = throttles.get("c");
        Permit one = third.tryAcquire();
        assertThat(one).isNotNull();
        one.end(TOLD);
        assertThat(keys()).containsOnly("a", "b");
        while (keys().contains("a")) { // both are idle, and go
            time.advance(Duration.ofSeconds(30));
            Permit next = third.tryAcquire();
            assertThat(next).isNotNull();
            next.end(TOLD);
            throttles.all();
            throttles.get("c");
        }
        Permit last = third.tryAcquire();
        assertThat(last).isNotNull();
        last.end(TOLD);
        assertThat(keys()).contains("c");
        assertThat(registry.get("throttle.quota.remaining").gauge().value()).isEqualTo(5);
        assertThat(registry.get("throttle.requests")
                        .tags("key", "c", "outcome", "success")
                        .functionCounter()
                        .count())
                .isEqualTo((double) third.count(Outcome.SUCCESS));
    }
}
