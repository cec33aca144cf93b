package dev.throttle.resilience4j;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.AdmissionGuard;
import dev.throttle.signal.Signal;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Guards per key are there as long as their key. */
class KeyedGuardsTest {

    private static void dropped(Function<String, AdmissionGuard> guards, BooleanSupplier condition) {
        for (int i = 0; i < 200 && !condition.getAsBoolean(); i++) {
            System.gc();
            guards.apply("probe");
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void theBreakersOfDroppedKeysLeaveTheRegistry() {
        CircuitBreakerRegistry registry = CircuitBreakerRegistry.ofDefaults();
        Function<String, AdmissionGuard> guards = Guards.circuitBreakers(registry);
        AdmissionGuard kept = guards.apply("kept");
        for (int i = 0; i < 1000; i++) {
            guards.apply("key-" + i);
        }
        registry.circuitBreaker("open").transitionToForcedOpenState();
        guards.apply("open");
        dropped(guards, () -> registry.getAllCircuitBreakers().size() <= 3);
        assertThat(registry.find("kept")).isPresent();
        assertThat(guards.apply("open").isRefusing()).isTrue();
        Reference.reachabilityFence(kept);
    }

    @Test
    void aBulkheadStaysWhileARequestIsOnItsWay() {
        BulkheadRegistry registry = BulkheadRegistry.ofDefaults();
        Function<String, AdmissionGuard> guards = Guards.bulkheads(registry);
        AdmissionGuard.Pass pass = guards.apply("busy").tryEnter();
        guards.apply("gone");
        dropped(guards, () -> registry.find("gone").isEmpty());
        assertThat(registry.bulkhead("busy").getMetrics().getAvailableConcurrentCalls())
                .isEqualTo(24);
        pass.onEnd(Signal.SUCCESS, Duration.ZERO);
        assertThat(registry.bulkhead("busy").getMetrics().getAvailableConcurrentCalls())
                .isEqualTo(25);
    }

    @Test
    void twoThrottlesOfAKeyShareItsBreaker() {
        CircuitBreakerRegistry registry = CircuitBreakerRegistry.ofDefaults();
        Function<String, AdmissionGuard> guards = Guards.circuitBreakers(registry);
        AdmissionGuard one = guards.apply("a");
        AdmissionGuard other = guards.apply("a");
        registry.circuitBreaker("a").transitionToForcedOpenState();
        assertThat(one.isRefusing()).isTrue();
        assertThat(other.isRefusing()).isTrue();
    }
}
