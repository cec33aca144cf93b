package dev.throttle.micrometer;

import dev.throttle.Priority;
import dev.throttle.ThrottleListener.Source;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.ThrottleState;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The meters of one throttle in one registry. Most values are read from the throttle when the registry asks; only waits
 * and quotas are pushed by events. As with all gauges, the meter registry holds the throttle weakly.
 */
final class ThrottleMeters {

    private final MeterGroup group;
    private final QuotaGauges quotas;
    private final RateLimitGauge rateLimit;
    private final AtomicBoolean isInFlightLimitShown = new AtomicBoolean();
    private final Map<Reason, Timer> waits = new ConcurrentHashMap<>();
    private final Map<Priority, Boolean> shownClasses = new ConcurrentHashMap<>();

    /** Which waits a timer is for. */
    private record Reason(Priority priority, String reason) {}

    ThrottleMeters(MeterRegistry registry, Source throttle) {
        this.group = new MeterGroup(registry, Tags.of("throttle", throttle.name(), "key", throttle.label()));
        this.quotas = new QuotaGauges(group);
        ThrottleSnapshot now = throttle.snapshot();
        this.rateLimit = new RateLimitGauge(group, now.rateLimit());
        gauges(throttle);
        waiting(throttle, Priority.NORMAL);
        now.waitingByPriority().forEach((priority, callers) -> {
            if (callers > 0) {
                waiting(throttle, priority);
            }
        });
        requests(throttle);
        retries(throttle);
        seen(throttle, now.quotas());
        if (Double.isFinite(now.rateLimit())) {
            rateLimited(throttle);
        }
        if (now.inFlightLimit() != Integer.MAX_VALUE) {
            showInFlightLimit(throttle);
        }
    }

    void remove() {
        group.remove();
    }

    private void gauges(Source shown) {
        time(shown, "throttle.sleep", "Sleep before the next request", ThrottleSnapshot::sleep);
        time(shown, "throttle.blocked", "Time until the server accepts requests again", ThrottleSnapshot::blocked);
        gauge(
                shown,
                "throttle.rate.current",
                "Requests sent in the last second",
                RateLimitGauge.UNIT,
                ThrottleSnapshot::requestsPerSecond);
        gauge(
                shown,
                "throttle.paused",
                "1 while the throttle is paused or closed, 0 otherwise",
                "throttles",
                ThrottleMeters::paused);
        gauge(
                shown,
                "throttle.waiting.tenants",
                "Tenants with callers in the queue",
                "tenants",
                ThrottleSnapshot::waitingTenants);
        gauge(
                shown,
                "throttle.observing",
                "1 while the throttle only observes, 0 while it enforces",
                "throttles",
                snapshot -> snapshot.mode() == ThrottleMode.OBSERVE ? 1 : 0);
        gauge(shown, "throttle.inflight", "Requests in flight", "requests", ThrottleSnapshot::inFlight);
    }

    private static double paused(ThrottleSnapshot snapshot) {
        return snapshot.state() == ThrottleState.PAUSED || snapshot.state() == ThrottleState.CLOSED ? 1 : 0;
    }

    private void requests(Source shown) {
        for (Outcome outcome : Outcome.values()) {
            request(
                    shown,
                    outcome == Outcome.RATE_LIMITED ? "throttled" : word(outcome),
                    outcome == Outcome.CANCELLED
                            ? throttle -> throttle.count(outcome)
                                    + throttle.snapshot().cancelledWaiting()
                            : throttle -> throttle.count(outcome));
        }
        request(shown, "rejected", throttle -> throttle.snapshot().rejected());
    }

    private void retries(Source shown) {
        retry(shown, "retried", ThrottleSnapshot::retried);
        for (StopReason reason : StopReason.values()) {
            if (reason != StopReason.ANSWERED) { // an answer is no reason to ask
                retry(shown, word(reason), snapshot -> snapshot.notRetried().getOrDefault(reason, 0L));
            }
        }
    }

    /** A caller of a class waits; a class has no gauge before, as most programs use one only. */
    void waiting(Source shown, Priority priority) {
        if (!shownClasses.containsKey(priority) && shownClasses.putIfAbsent(priority, true) == null) {
            ToDoubleFunction<Source> callers =
                    throttle -> throttle.snapshot().waitingByPriority().getOrDefault(priority, 0);
            group.add((registry, tags) -> Gauge.builder("throttle.waiting", shown, callers)
                    .description("Callers in the queue")
                    .baseUnit("callers")
                    .tags(tags)
                    .tag("priority", word(priority))
                    .register(registry));
        }
    }

    /** A caller was let go after a wait. */
    void waited(Priority priority, String reason, Duration wait) {
        Reason key = new Reason(priority, reason);
        Timer timer = waits.get(key);
        if (timer == null) {
            timer = group.add((registry, tags) -> Timer.builder("throttle.wait")
                    .description("Time that callers waited before their requests were sent")
                    .tags(tags)
                    .tag("reason", reason)
                    .tag("priority", word(priority))
                    .register(registry));
            if (timer == null) {
                return;
            }
            waits.put(key, timer);
        }
        timer.record(wait);
    }

    /** The rate began or ceased to be limited. */
    void rateLimited(Source shown) {
        rateLimit.follow(shown);
    }

    /** A response told about quotas. */
    void seen(Source shown, List<Quota> told) {
        if (!told.isEmpty()) {
            quotas.seen(shown, told);
            if (tellsOfConcurrency(told) && !isInFlightLimitShown.get()) {
                showInFlightLimit(shown);
            }
        }
    }

    static boolean tellsOfConcurrency(List<Quota> told) {
        for (int i = 0; i < told.size(); i++) { // no iterator: asked with every response
            if (told.get(i).unit().equals(Quota.CONCURRENT_REQUESTS)) {
                return true;
            }
        }
        return false;
    }

    /** Registers the gauge once there is a limit. It stays registered; without a limit its value is infinite. */
    private void showInFlightLimit(Source shown) {
        if (shown.snapshot().inFlightLimit() != Integer.MAX_VALUE && isInFlightLimitShown.compareAndSet(false, true)) {
            gauge(
                    shown,
                    "throttle.inflight.limit",
                    "Most requests that may be in flight at a time",
                    "requests",
                    snapshot -> snapshot.inFlightLimit() == Integer.MAX_VALUE
                            ? Double.POSITIVE_INFINITY
                            : snapshot.inFlightLimit());
        }
    }

    private void time(Source shown, String name, String description, Function<ThrottleSnapshot, Duration> value) {
        ToDoubleFunction<Source> nanos =
                throttle -> value.apply(throttle.snapshot()).toNanos();
        group.add((registry, tags) -> TimeGauge.builder(name, shown, TimeUnit.NANOSECONDS, nanos)
                .description(description)
                .tags(tags)
                .register(registry));
    }

    private void gauge(
            Source shown, String name, String description, String unit, ToDoubleFunction<ThrottleSnapshot> value) {
        group.add((registry, tags) -> Gauge.builder(name, shown, t -> value.applyAsDouble(t.snapshot()))
                .description(description)
                .baseUnit(unit)
                .tags(tags)
                .register(registry));
    }

    private void request(Source shown, String outcome, ToDoubleFunction<Source> count) {
        group.add((registry, tags) -> FunctionCounter.builder("throttle.requests", shown, count)
                .baseUnit("requests")
                .description("Attempts by outcome, and callers that were rejected")
                .tags(tags)
                .tag("outcome", outcome)
                .register(registry));
    }

    private void retry(Source shown, String result, ToDoubleFunction<ThrottleSnapshot> count) {
        group.add((registry, tags) -> FunctionCounter.builder(
                        "throttle.retries", shown, t -> count.applyAsDouble(t.snapshot()))
                .baseUnit("retries")
                .description("Refused and failed attempts: retried, or the reason why not")
                .tags(tags)
                .tag("result", result)
                .register(registry));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
