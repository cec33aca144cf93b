package dev.throttle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Meters live exactly as long as the throttle they show. */
class MetersComeAndGoTest {

    private static final Duration GC_PATIENCE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private ThrottleRegistry throttles(int maxKeys) {
        return ThrottleRegistry.builder()
                .time(time)
                .executor(Runnable::run)
                .maxKeys(maxKeys)
                .build();
    }

    private static Set<String> keys(MeterRegistry registry) {
        return registry.getMeters().stream()
                .map(meter -> String.valueOf(meter.getId().getTag("key")))
                .collect(Collectors.toSet());
    }

    private static void gcUntil(BooleanSupplier condition) {
        await().atMost(GC_PATIENCE).until(() -> {
            System.gc();
            return condition.getAsBoolean();
        });
    }

    @Test
    void keysThatAreThereAndKeysToComeAreShown() {
        ThrottleRegistry throttles = throttles(10);
        throttles.get("a");
        new ThrottleMetrics(throttles).bindTo(registry);
        throttles.get("b");
        assertThat(keys(registry)).containsExactlyInAnyOrder("a", "b");
    }

    /** Whether a request or a look at the keys drops them. */
    @Test
    void theMetersOfAKeyGoWhenItIsNoLongerListed() throws Exception {
        ThrottleRegistry throttles = throttles(10);
        new ThrottleMetrics(throttles).bindTo(registry);
        throttles.get("a").acquire().complete(Signal.SUCCESS);
        time.advance(Duration.ofHours(2));
        assertThat(throttles.all()).isEmpty();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void theMetersOfAnEvictedKeyGoAndThoseOfItsSuccessorStartAnew() throws Exception {
        ThrottleRegistry throttles = throttles(10);
        new ThrottleMetrics(throttles).bindTo(registry);
        RateHints hints = new RateHints(null, List.of(new Quota("daily", 10L, 5L, null, null)));
        throttles.get("a").acquire().complete(new Signal(Outcome.SUCCESS, hints));
        int withQuota = registry.getMeters().size();
        time.advance(Duration.ofHours(2));
        throttles.get("b");
        assertThat(keys(registry)).containsExactly("b");

        Throttle successor = throttles.get("a");
        assertThat(registry.getMeters()).hasSize(2 * (withQuota - 3));
        successor.acquire().complete(Signal.SUCCESS);
        assertThat(registry.get("throttle.requests")
                        .tags("key", "a", "outcome", "success")
                        .functionCounter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void whatGoesThroughAnEvictedThrottleShowsAtItsSuccessor() throws Exception {
        ThrottleRegistry throttles = throttles(10);
        new ThrottleMetrics(throttles).bindTo(registry);
        Throttle evicted = throttles.get("a");
        evicted.acquire().complete(Signal.SUCCESS);
        time.advance(Duration.ofHours(2));
        throttles.get("b");
        assertThat(keys(registry)).containsExactly("b");
        Throttle successor = throttles.get("a");
        assertThat(successor).isNotSameAs(evicted);

        RateHints hints = new RateHints(null, List.of(new Quota("daily", 10L, 5L, null, null)));
        evicted.acquire().complete(new Signal(Outcome.SUCCESS, hints));
        assertThat(registry.get("throttle.quota.remaining")
                        .tags("key", "a")
                        .gauge()
                        .value())
                .isEqualTo(5);
        assertThat(registry.get("throttle.requests")
                        .tags("key", "a", "outcome", "success")
                        .functionCounter()
                        .count())
                .isEqualTo(1)
                .isEqualTo(successor.count(Outcome.SUCCESS));
    }

    @Test
    void aRegistryThatIsClosedTakesNothingMore() throws Exception {
        ThrottleRegistry throttles = throttles(1);
        new ThrottleMetrics(throttles).bindTo(registry);
        throttles.get("a").acquire().complete(Signal.SUCCESS);
        int meters = registry.getMeters().size();
        registry.close();
        RateHints hints = new RateHints(null, List.of(new Quota("daily", 10L, 5L, null, null)));
        throttles.get("a").acquire().complete(new Signal(Outcome.SUCCESS, hints));
        assertThat(registry.getMeters()).hasSize(meters);
        time.advance(Duration.ofHours(2));
        throttles.get("b").acquire().complete(new Signal(Outcome.SUCCESS, hints));
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void aKeyWithSomethingToDoKeepsItsMeters() throws Exception {
        ThrottleRegistry throttles = throttles(1);
        new ThrottleMetrics(throttles).bindTo(registry);
        Permit permit = throttles.get("busy").acquire();
        for (int i = 0; i < 50; i++) {
            throttles.get("other-" + i);
        }
        Gauge inFlight = registry.get("throttle.inflight").tags("key", "busy").gauge();
        assertThat(inFlight.value()).isEqualTo(1);
        permit.release();
    }

    @Test
    void manyThreadsOnFewPlacesLeaveMetersOfTheLivingOnly() throws Exception {
        ThrottleRegistry throttles = throttles(4);
        new ThrottleMetrics(throttles).bindTo(registry);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                int offset = thread;
                work.add(pool.submit(() -> {
                    for (int i = 0; i < 500; i++) {
                        throttles.get("key-" + (i + offset) % 16).acquire().complete(Signal.SUCCESS);
                    }
                    return null;
                }));
            }
            for (Future<?> each : work) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        Set<String> living = throttles.all().stream().map(Throttle::key).collect(Collectors.toSet());
        assertThat(keys(registry)).isEqualTo(living);
        double counted = registry.get("throttle.requests").functionCounters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
        double happened = throttles.all().stream()
                .mapToDouble(throttle -> throttle.count(Outcome.SUCCESS))
                .sum();
        assertThat(counted).isEqualTo(happened);
    }

    @Test
    void theRegistryDoesNotKeepADroppedSetAliveAndLosesItsMeters() throws Exception {
        ThrottleRegistry throttles = throttles(10);
        ThrottleMetrics metrics = new ThrottleMetrics(throttles);
        metrics.bindTo(registry);
        throttles.get("a").acquire().complete(Signal.FAILED);
        WeakReference<ThrottleRegistry> set = new WeakReference<>(throttles);
        WeakReference<Throttle> throttle = new WeakReference<>(throttles.get("a"));
        throttles = null;
        gcUntil(() -> set.get() == null && throttle.get() == null);
        gcUntil(() -> registry.getMeters().isEmpty());
        metrics.bindTo(registry);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void theRegistryDoesNotKeepADroppedThrottleAliveAndLosesItsMeters() throws Exception {
        Throttle throttle = Throttle.builder().time(time).build();
        ThrottleMetrics metrics = new ThrottleMetrics(throttle);
        metrics.bindTo(registry);
        WeakReference<Throttle> dropped = new WeakReference<>(throttle);
        throttle = null;
        gcUntil(() -> dropped.get() == null);
        gcUntil(() -> registry.getMeters().isEmpty());
        assertThat(metrics).isNotNull();
    }

    @Test
    void noGaugeReadsNaNWhileOnlyACallUsesTheThrottle() throws Exception {
        Permit permit = permitOfAThrottleThatNobodyElseHolds();
        WeakReference<Object> garbage = new WeakReference<>(new Object());
        gcUntil(() -> garbage.get() == null);
        assertThat(registry.getMeters())
                .isNotEmpty()
                .allSatisfy(meter -> assertThat(meter.measure())
                        .allSatisfy(measurement ->
                                assertThat(measurement.getValue()).isNotNaN()));
        assertThat(registry.get("throttle.inflight").gauge().value()).isEqualTo(1);
        permit.release();
    }

    private Permit permitOfAThrottleThatNobodyElseHolds() throws Exception {
        Throttle throttle = Throttle.builder().time(time).build();
        new ThrottleMetrics(throttle).bindTo(registry);
        return throttle.acquire();
    }
}
