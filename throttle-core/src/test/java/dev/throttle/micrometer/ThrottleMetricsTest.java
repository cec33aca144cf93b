package dev.throttle.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.AdmissionGuard;
import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Calls;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.fixtures.OpenController;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The value of every meter, on virtual time. */
class ThrottleMetricsTest {

    private static final List<String> RESULTS = List.of(
            "retried",
            "permanent",
            "cancelled",
            "disabled",
            "not-replayable",
            "not-idempotent",
            "attempts",
            "wait-too-long",
            "budget",
            "guard",
            "closed",
            "observed");

    private final VirtualTime time = new VirtualTime();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static Strategy sleeping() {
        return Strategies.exponentialIncreaseProportionalRemainingDecrease()
                .jitter(0)
                .build();
    }

    private Throttle.Builder builder() {
        return Throttle.builder()
                .name("api")
                .strategy(sleeping())
                .retryAfterJitter(0, Duration.ZERO)
                .time(time)
                .executor(Runnable::run)
                .seed(1);
    }

    private Throttle shown() {
        Throttle throttle = builder().build();
        new ThrottleMetrics(throttle).bindTo(registry);
        return throttle;
    }

    private double gauge(String name) {
        return registry.get(name)
                .tags("throttle", "api", "key", "api")
                .timeGauge()
                .value(TimeUnit.SECONDS);
    }

    private double number(String name) {
        return registry.get(name).tags("throttle", "api", "key", "api").gauge().value();
    }

    private double quota(String name, String policy) {
        return registry.get(name).tags("policy", policy).gauge().value();
    }

    private double requests(String outcome) {
        return registry.get("throttle.requests")
                .tags("outcome", outcome)
                .functionCounter()
                .count();
    }

    private double retries(String result) {
        return registry.get("throttle.retries")
                .tags("result", result)
                .functionCounter()
                .count();
    }

    private static Signal success(Quota... quotas) {
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quotas)));
    }

    private static Quota quota(@Nullable String policy, @Nullable Long limit, @Nullable Long remaining) {
        return new Quota(policy, limit, remaining, null, null);
    }

    @Test
    void aThrottleAtRestShowsEveryGauge() {
        Throttle throttle = shown();
        assertThat(gauge("throttle.sleep")).isZero();
        assertThat(gauge("throttle.blocked")).isZero();
        assertThat(registry.find("throttle.rate.limit").meter()).isNull();
        assertThat(number("throttle.rate.current")).isZero();
        assertThat(number("throttle.waiting")).isZero();
        assertThat(number("throttle.waiting.tenants")).isZero();
        assertThat(number("throttle.inflight")).isZero();
        assertThat(number("throttle.paused")).isZero();
        throttle.pause();
        assertThat(number("throttle.paused")).isOne();
        throttle.drain();
        assertThat(number("throttle.paused")).isZero();
        assertThat(number("throttle.observing")).isZero();
        throttle.reconfigure(settings -> settings.mode(ThrottleMode.OBSERVE));
        assertThat(number("throttle.observing")).isOne();
        for (String outcome : List.of(
                "success",
                "throttled",
                "denied",
                "busy",
                "unreachable",
                "failed",
                "ignored",
                "rejected",
                "cancelled")) {
            assertThat(requests(outcome)).as(outcome).isZero();
        }
        for (String result : RESULTS) {
            assertThat(retries(result)).as(result).isZero();
        }
        assertThat(registry.getMeters())
                .hasSize(8 + 9 + RESULTS.size())
                .allSatisfy(meter -> assertThat(meter.getId().getBaseUnit())
                        .as("%s", meter.getId())
                        .isNotNull());
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void sleepWaitingInflightAndWaitFollowARefusal() throws Exception {
        Throttle throttle = shown();
        Permit permit = throttle.acquire();
        assertThat(number("throttle.inflight")).isEqualTo(1);
        assertThat(number("throttle.rate.current")).isEqualTo(1);
        permit.complete(Signal.RATE_LIMITED);
        assertThat(gauge("throttle.sleep")).isCloseTo(0.96, within(1e-9));
        assertThat(requests("throttled")).isEqualTo(1);
        assertThat(retries("retried")).isEqualTo(1);

        CompletableFuture<Permit> retry = permit.acquireAgainAsync();
        CompletableFuture<Permit> next = throttle.acquireAsync();
        assertThat(number("throttle.waiting")).isEqualTo(2);
        assertThat(number("throttle.inflight")).isZero();
        time.advance(Duration.ofSeconds(1));
        assertThat(number("throttle.waiting")).isZero();
        assertThat(number("throttle.inflight")).isEqualTo(2);

        Timer wait = registry.get("throttle.wait")
                .tags("throttle", "api", "key", "api")
                .tags("reason", "exponential-increase-proportional-remaining-decrease")
                .timer();
        assertThat(wait.count()).isEqualTo(2);
        assertThat(wait.totalTime(TimeUnit.SECONDS)).isCloseTo(0.8 + 0.96, within(1e-9));
        assertThat(wait.max(TimeUnit.SECONDS)).isCloseTo(0.96, within(1e-9));

        retry.join().complete(success(quota(null, null, 4500L)));
        next.join().complete(Signal.SUCCESS);
        assertThat(gauge("throttle.sleep")).isZero();
        assertThat(requests("success")).isEqualTo(2);
    }

    @Test
    void waitsAndWaitingHaveThePriorityAndUnusedClassesNoMeter() {
        Throttle throttle = shown();
        assertThat(registry.find("throttle.waiting").gauges()).hasSize(1);
        Permit permit = Calls.of(throttle).newCall().acquireForced();
        permit.complete(retryAfter(Duration.ofSeconds(30)));
        CallOptions background = CallOptions.DEFAULT.priority(Priority.BATCH);
        CompletableFuture<Permit> batch = Calls.of(throttle).newCall(background).acquireAsync();
        Calls.of(throttle).newCall(background).acquireAsync();
        CompletableFuture<Permit> normal = throttle.acquireAsync();
        assertThat(waiting("batch")).isEqualTo(2);
        assertThat(waiting("normal")).isEqualTo(1);
        assertThat(registry.find("throttle.waiting").gauges()).hasSize(2);
        SimpleMeterRegistry late = new SimpleMeterRegistry();
        new ThrottleMetrics(throttle).bindTo(late);
        assertThat(late.get("throttle.waiting")
                        .tags("priority", "batch")
                        .gauge()
                        .value())
                .isEqualTo(2);

        time.advance(Duration.ofSeconds(60));
        assertThat(batch).isCompleted();
        assertThat(normal).isCompleted();
        assertThat(waiting("batch")).isZero();
        assertThat(registry.get("throttle.wait").tags("priority", "batch").timers())
                .extracting(Timer::count)
                .containsExactly(2L);
        assertThat(registry.get("throttle.wait").tags("priority", "normal").timers())
                .extracting(Timer::count)
                .containsExactly(1L);
    }

    private double waiting(String priority) {
        return registry.get("throttle.waiting")
                .tags("priority", priority)
                .gauge()
                .value();
    }

    @Test
    void theLimitOfRequestsInFlightIsShownFromWhenThereIsOne() throws Exception {
        Throttle throttle = shown();
        assertThat(registry.find("throttle.inflight.limit").gauge()).isNull();
        Quota quota = new Quota("parallel", 7L, null, null, null, Quota.CONCURRENT_REQUESTS, null);
        throttle.acquire().complete(new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        assertThat(number("throttle.inflight.limit")).isEqualTo(7);
        throttle.acquire().complete(Signal.SUCCESS);
        assertThat(number("throttle.inflight.limit")).isEqualTo(7);

        SimpleMeterRegistry other = new SimpleMeterRegistry();
        Throttle limited =
                Throttle.builder().limit(Strategies.inFlight().limit(3).build()).build();
        new ThrottleMetrics(limited).bindTo(other);
        assertThat(other.get("throttle.inflight.limit").gauge().value()).isEqualTo(3);
        assertThat(limited.snapshot().inFlightLimit()).isEqualTo(3);
    }

    @Test
    void blockedCountsDownAndItsWaitsHaveTheirReason() throws Exception {
        Throttle throttle = shown();
        throttle.acquire().complete(retryAfter(Duration.ofSeconds(30)));
        assertThat(gauge("throttle.blocked")).isEqualTo(30);
        CompletableFuture<Permit> next = throttle.acquireAsync();
        time.advance(Duration.ofSeconds(10));
        assertThat(gauge("throttle.blocked")).isEqualTo(20);
        time.advance(Duration.ofSeconds(20));
        assertThat(gauge("throttle.blocked")).isZero();
        next.join().release();
        assertThat(registry.get("throttle.wait")
                        .tags("reason", "retry-after")
                        .timer()
                        .totalTime(TimeUnit.SECONDS))
                .isEqualTo(30);
        assertThat(requests("ignored")).isEqualTo(1);
    }

    @Test
    void everyOutcomeIsCounted() throws Exception {
        Throttle throttle = shown();
        for (Outcome outcome : Outcome.values()) {
            time.advance(Duration.ofHours(1));
            ended(throttle, CallOptions.DEFAULT, Signal.of(outcome));
        }
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        assertThat(waiting).isNotDone();
        waiting.cancel(false);
        assertThatExceptionOfType(ThrottleRejectedException.class)
                .isThrownBy(() -> Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.maxWait(Duration.ZERO))
                        .acquire());
        for (String outcome : List.of("success", "throttled", "busy", "failed", "ignored", "rejected")) {
            assertThat(requests(outcome)).as(outcome).isEqualTo(1);
        }
        assertThat(requests("cancelled"))
                .as("one on the wire, one in the queue")
                .isEqualTo(2);
    }

    @Test
    void everyResultOfARetryIsCounted() throws Exception {
        AtomicBoolean refusing = new AtomicBoolean();
        Throttle throttle = builder()
                .guard(new SwitchedGuard(refusing))
                .retryPolicy(RetryPolicy.builder()
                        .outcomes(Set.of(Outcome.BUSY, Outcome.RATE_LIMITED))
                        .budget(0, 1)
                        .build())
                .build();
        new ThrottleMetrics(throttle).bindTo(registry);
        CallOptions options = CallOptions.DEFAULT;
        ended(throttle, options, Signal.FAILED);
        ended(throttle, options, Signal.DENIED);
        ended(throttle, options.replayable(false), Signal.BUSY);
        ended(throttle, options.idempotent(false), Signal.BUSY);
        ended(throttle, options.maxAttempts(1), Signal.BUSY);
        ended(throttle, options.maxWait(Duration.ofSeconds(30)), retryAfter(Duration.ofSeconds(60)));
        ended(throttle, options, Signal.BUSY);
        ended(throttle, options, Signal.BUSY);
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = granted(call);
        call.cancel();
        permit.complete(Signal.BUSY);
        refusing.set(true);
        ended(throttle, options, Signal.BUSY);
        Permit last = Calls.of(throttle).newCall().acquireForced();
        throttle.close();
        last.complete(Signal.BUSY);
        throttle.reconfigure(settings -> settings.mode(ThrottleMode.OBSERVE));
        ended(throttle, options, Signal.BUSY);
        for (String result : RESULTS) {
            assertThat(retries(result)).as(result).isEqualTo(1);
        }
    }

    /** Lets everybody past, and says what it would do with the next as it is told. */
    private record SwitchedGuard(AtomicBoolean refusing) implements AdmissionGuard {

        @Override
        public String name() {
            return "switch";
        }

        @Override
        public Pass tryEnter() {
            return new Pass() {
                @Override
                public void onEnd(Signal signal, Duration duration) {}

                @Override
                public void onLeft() {}
            };
        }

        @Override
        public boolean isRefusing() {
            return refusing.get();
        }
    }

    private void ended(Throttle throttle, CallOptions options, Signal signal) {
        granted(Calls.of(throttle).newCall(options)).complete(signal);
    }

    /** Lets as much time pass as the throttle demands. */
    private Permit granted(ThrottledCall call) {
        CompletableFuture<Permit> admission = call.acquireAsync();
        while (!admission.isDone() && time.advanceToNextTask()) {
            // the next instant at which something happens
        }
        return admission.join();
    }

    private static Signal retryAfter(Duration delay) {
        return new Signal(Outcome.RATE_LIMITED, new RateHints(delay, List.of()));
    }

    @Test
    void aQuotaIsShownFromWhenItIsFirstSeenAndNeverForgotten() throws Exception {
        Throttle throttle = shown();
        assertThat(registry.find("throttle.quota.remaining").gauge()).isNull();
        throttle.acquire().complete(success(quota(null, null, 7L)));
        assertThat(quota("throttle.quota.remaining", "unnamed")).isEqualTo(7);
        assertThat(registry.find("throttle.quota.limit").gauge()).isNull();

        throttle.acquire().complete(success(quota("daily", 100L, 60L), quota(null, 10L, 6L)));
        assertThat(quota("throttle.quota.remaining", "daily")).isEqualTo(60);
        assertThat(quota("throttle.quota.limit", "daily")).isEqualTo(100);
        assertThat(quota("throttle.quota.remaining", "unnamed")).isEqualTo(6);
        assertThat(quota("throttle.quota.limit", "unnamed")).isEqualTo(10);

        throttle.acquire().complete(success(quota("daily", null, 59L)));
        assertThat(quota("throttle.quota.limit", "daily")).isEqualTo(100);
        assertThat(quota("throttle.quota.remaining", "daily")).isEqualTo(59);
    }

    @Test
    void callsThatWaitForAQuotaAreShownWithItsName() throws Exception {
        Throttle throttle = shown();
        throttle.acquire().complete(success(quota(null, null, 7L)));
        assertThat(registry.find("throttle.quota.waiting").gauge()).isNull();
        Quota search = new Quota("search", 10L, 0L, Duration.ofSeconds(40), null);
        throttle.acquire()
                .complete(Signal.of(Outcome.RATE_LIMITED, new RateHints(Duration.ofSeconds(40), List.of(search))));
        assertThat(quota("throttle.quota.waiting", "search")).isZero();
        throttle.acquireAsync();
        throttle.acquireAsync();
        assertThat(quota("throttle.quota.waiting", "search")).isEqualTo(2);
    }

    @Test
    void aServerThatMakesUpPoliciesDoesNotFillTheRegistry() throws Exception {
        Throttle throttle = shown();
        for (int i = 0; i < 1000; i++) {
            throttle.acquire().complete(success(quota("policy-" + i, 10L, 5L)));
        }
        assertThat(registry.find("throttle.quota.remaining").gauges()).hasSize(16);
        assertThat(registry.find("throttle.quota.limit").gauges()).hasSize(16).allMatch(gauge -> gauge.value() == 10);
    }

    @Test
    void aThrottleThatIsBoundLateShowsWhatItLearnedBefore() throws Exception {
        Throttle throttle = builder().build();
        throttle.acquire().complete(success(quota("daily", 100L, 60L)));
        throttle.acquire().complete(Signal.FAILED);
        new ThrottleMetrics(throttle).bindTo(registry);
        assertThat(quota("throttle.quota.remaining", "daily")).isEqualTo(60);
        assertThat(requests("success")).isEqualTo(1);
        assertThat(requests("failed")).isEqualTo(1);
    }

    @Test
    void bindingTwiceCountsEveryWaitOnce() throws Exception {
        Throttle throttle = shown();
        int meters = registry.getMeters().size();
        new ThrottleMetrics(throttle).bindTo(registry);
        assertThat(registry.getMeters()).hasSize(meters);
        waitOnce(throttle);
        assertThat(registry.get("throttle.wait").timer().count()).isEqualTo(1);
    }

    @Test
    void everyRegistryShowsTheSame() throws Exception {
        Throttle throttle = shown();
        SimpleMeterRegistry other = new SimpleMeterRegistry();
        new ThrottleMetrics(throttle).bindTo(other);
        waitOnce(throttle);
        for (SimpleMeterRegistry each : List.of(registry, other)) {
            assertThat(each.get("throttle.wait").timer().count()).isEqualTo(1);
            assertThat(each.get("throttle.sleep").timeGauge().value(TimeUnit.SECONDS))
                    .isCloseTo(0.96, within(1e-9));
        }
        assertThat(names(other)).isEqualTo(names(registry));
    }

    @Test
    void readingEveryMeterMovesNothing() throws Exception {
        Throttle throttle = shown();
        throttle.acquire().complete(Signal.RATE_LIMITED);
        CompletableFuture<Permit> waiting = throttle.acquireAsync();
        int timers = time.scheduledTasks();
        for (int i = 0; i < 100; i++) {
            registry.getMeters()
                    .forEach(meter -> meter.measure()
                            .forEach(m -> assertThat(m.getValue()).isNotNaN()));
        }
        assertThat(time.scheduledTasks()).isEqualTo(timers);
        time.advance(Duration.ofMillis(959));
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(waiting).isDone();
    }

    @Test
    void metersThatTheRegistryDeniesAreHarmless() throws Exception {
        registry.config().meterFilter(MeterFilter.maximumAllowableTags("throttle.", "key", 1, MeterFilter.deny()));
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .name("api")
                .strategy(sleeping())
                .retryAfterJitter(0, Duration.ZERO)
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .maxKeys(10)
                .idleExpiry(Duration.ofMinutes(1))
                .build();
        new ThrottleMetrics(throttles).bindTo(registry);
        throttles.get("shown").acquire().complete(Signal.SUCCESS);
        int meters = registry.getMeters().size();
        waitOnce(throttles.get("denied"));
        assertThat(registry.getMeters()).hasSize(meters);
        time.advance(Duration.ofHours(2));
        throttles.get("other");
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void nullIsRefusedByName() {
        assertThatNullPointerException()
                .isThrownBy(() -> new ThrottleMetrics((Throttle) null))
                .withMessageContaining("throttle");
        assertThatNullPointerException()
                .isThrownBy(() -> new ThrottleMetrics((ThrottleRegistry) null))
                .withMessageContaining("throttles");
        assertThatNullPointerException()
                .isThrownBy(() -> new ThrottleMetrics(Throttle.create()).bindTo(null))
                .withMessageContaining("registry");
    }

    private void waitOnce(Throttle throttle) throws Exception {
        Permit permit = throttle.acquire();
        permit.complete(Signal.RATE_LIMITED);
        CompletableFuture<Permit> retry = permit.acquireAgainAsync();
        time.advance(Duration.ofSeconds(1));
        retry.join().release();
    }

    private static Set<Meter.Id> names(SimpleMeterRegistry registry) {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    /** Infinity is no use on a dashboard. */
    @Test
    void theRateLimitIsShownWhileThereIsOne() throws Exception {
        double[] limit = {Double.POSITIVE_INFINITY};
        Throttle throttle = builder().strategy(limited(limit)).build();
        new ThrottleMetrics(throttle).bindTo(registry);
        assertThat(registry.find("throttle.rate.limit").meter()).isNull();
        limit[0] = 5;
        throttle.acquireAsync().join().complete(Signal.SUCCESS);
        assertThat(number("throttle.rate.limit")).isEqualTo(5);
        assertThat(registry.get("throttle.rate.limit").gauge().getId().getBaseUnit())
                .isEqualTo("requests per second");
        limit[0] = 7;
        throttle.acquireAsync().join().complete(Signal.SUCCESS);
        assertThat(number("throttle.rate.limit")).isEqualTo(7);
        limit[0] = Double.POSITIVE_INFINITY;
        throttle.acquireAsync().join().complete(Signal.SUCCESS);
        assertThat(registry.find("throttle.rate.limit").meter()).isNull();
    }

    private static Strategy limited(double[] limit) {
        return new Strategy() {
            @Override
            public String name() {
                return "limited";
            }

            @Override
            public RateController newController(ControllerHost host) {
                return new OpenController() {
                    @Override
                    public double limitPerSecond() {
                        return limit[0];
                    }
                };
            }
        };
    }
}
