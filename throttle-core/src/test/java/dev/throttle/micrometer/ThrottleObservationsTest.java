package dev.throttle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Waits as observations of Micrometer's. */
class ThrottleObservationsTest {

    private final VirtualTime time = new VirtualTime();
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> started = new ArrayList<>();
    private final List<Observation.Context> stopped = new ArrayList<>();
    private final Throttle throttle = builder().build();

    private Throttle.Builder builder() {
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStart(Observation.Context context) {
                started.add(context);
            }

            @Override
            public void onStop(Observation.Context context) {
                stopped.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return Throttle.builder()
                .name("api")
                .strategy(Strategies.none())
                .time(time)
                .retryAfterJitter(0, Duration.ZERO)
                .executor(Runnable::run)
                .listener(new ThrottleObservations(registry));
    }

    private static Signal refusal(Duration wait) {
        return new Signal(Outcome.RATE_LIMITED, new RateHints(wait, List.of()));
    }

    private void close(Duration wait) throws Exception {
        throttle.acquire().complete(refusal(wait));
    }

    private static String keys(Observation.Context context) {
        return context.getAllKeyValues().stream()
                .map(pair -> pair.getKey() + "=" + pair.getValue())
                .collect(Collectors.joining(" "));
    }

    @Test
    void aWaitIsAnObservationThatTellsWhatForAndHowLong() throws Exception {
        close(Duration.ofSeconds(2));
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        assertThat(started).hasSize(1);
        assertThat(stopped).isEmpty();
        time.advance(Duration.ofSeconds(2));
        waiting.join().release();
        assertThat(stopped).hasSize(1);
        assertThat(stopped.get(0).getName()).isEqualTo("throttle.wait.observed");
        assertThat(stopped.get(0).getContextualName()).isEqualTo("throttle.wait");
        assertThat(stopped.get(0).getError()).isNull();
        assertThat(keys(stopped.get(0)))
                .isEqualTo("throttle.key=api throttle.name=api throttle.outcome=admitted throttle.priority=normal"
                        + " throttle.reason=retry-after throttle.wait_ms=2000");
    }

    @Test
    void itsParentIsTheObservationOfTheCallerAlsoOnRepetitions() {
        Throttle propagating = builder()
                .context(PropagatedContext.capture(io.micrometer.context.ContextSnapshotFactory.builder()
                        .contextRegistry(new io.micrometer.context.ContextRegistry()
                                .registerThreadLocalAccessor(new ObservationThreadLocalAccessor(registry)))
                        .build()))
                .build();
        Observation caller = Observation.start("caller", registry);
        List<Observation> current = new ArrayList<>();
        try (Observation.Scope scope = caller.openScope()) {
            assertThat(scope.getCurrentObservation()).isSameAs(caller);
            propagating.executeAsync(
                    CallOptions.DEFAULT.priority(Priority.BATCH),
                    () -> {
                        current.add(registry.getCurrentObservation());
                        return CompletableFuture.completedFuture(current.size());
                    },
                    attempt -> attempt <= 2 ? refusal(Duration.ofSeconds(1)) : Signal.SUCCESS);
        }
        time.advance(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));
        assertThat(current).containsExactly(caller, caller, caller);
        List<Observation.Context> waits = started.stream()
                .filter(context -> context instanceof ThrottleWaitContext)
                .distinct()
                .toList();
        assertThat(waits)
                .hasSize(2)
                .allSatisfy(wait -> assertThat(wait.getParentObservation()).isSameAs(caller));
    }

    @Test
    void aWaitThatIsGivenUpIsNoErrorAndOneThatIsTurnedAwayIs() throws Exception {
        close(Duration.ofSeconds(2));
        throttle.acquireAsync().cancel(true);
        assertThat(keys(stopped.get(0))).contains("throttle.outcome=cancelled", "throttle.reason=retry-after");
        assertThat(stopped.get(0).getError()).isNull();
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        throttle.close();
        assertThatThrownBy(waiting::join).hasCauseInstanceOf(ThrottleRejectedException.class);
        assertThat(keys(stopped.get(1))).contains("throttle.outcome=rejected");
        assertThat(stopped.get(1).getError()).isInstanceOf(ThrottleRejectedException.class);
    }

    @Test
    void itsTimerIsNotThatOfTheMetrics() throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        new ThrottleMetrics(throttle).bindTo(meters);
        close(Duration.ofSeconds(2));
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        time.advance(Duration.ofSeconds(2));
        waiting.join().release();
        assertThat(meters.get("throttle.wait").timers()).hasSize(1);
        assertThat(meters.get("throttle.wait.observed")
                        .tag("throttle.reason", "retry-after")
                        .timers())
                .hasSize(1);
    }

    @Test
    void aRegistryThatIsOffFollowsNothing() {
        ThrottleObservations off = new ThrottleObservations(ObservationRegistry.NOOP);
        assertThat(off.onWaitStart(throttle, Priority.NORMAL, "pace", Duration.ZERO))
                .isNull();
    }

    @Test
    void anEndedWaitHasTheDocumentedKeys() throws Exception {
        close(Duration.ofSeconds(1));
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        time.advance(Duration.ofSeconds(1));
        waiting.join().release();
        assertThat(stopped.get(0).getLowCardinalityKeyValues())
                .extracting(io.micrometer.common.KeyValue::getKey)
                .containsExactlyInAnyOrder("throttle.name", "throttle.reason", "throttle.priority", "throttle.outcome");
        assertThat(stopped.get(0).getHighCardinalityKeyValues())
                .extracting(io.micrometer.common.KeyValue::getKey)
                .containsExactlyInAnyOrder("throttle.key", "throttle.wait_ms");
        assertThat(stopped.get(0).getContextualName()).isEqualTo("throttle.wait");
    }

    @Test
    void aThrottleTakesOneForARegistry() {
        assertThat(throttle.addListener(new ThrottleObservations(registry))).isTrue();
        assertThat(throttle.addListener(new ThrottleObservations(registry))).isFalse();
        ThrottleWaitConvention own = new ThrottleWaitConvention() {};
        assertThat(new ThrottleObservations(registry, own))
                .isEqualTo(new ThrottleObservations(registry, own))
                .isNotEqualTo(new ThrottleObservations(registry))
                .hasSameHashCodeAs(new ThrottleObservations(registry, own));
    }
}
