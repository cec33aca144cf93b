package dev.throttle.control.sleep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.Json;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The sleeps of the original AutoSleeper, step by step, without randomness. */
class AutoSleeperVectorsTest {

    private static ResponsiveBackoff strategy(Map<String, Object> vector) {
        return Strategies.responsiveBackoff()
                .initialInterval(Duration.ofNanos(whole(vector, "initialIntervalNanos")))
                .maxInterval(Duration.ofNanos(whole(vector, "maxIntervalNanos")))
                .upMultiplier((Double) vector.get("upMultiplier"))
                .downMultiplier((Double) vector.get("downMultiplier"))
                .downMultiplierThreshold(whole(vector, "downMultiplierThreshold"))
                .randomizationFactor(0)
                .build();
    }

    private static long whole(Map<String, Object> map, String key) {
        return ((Double) map.get(key)).longValue();
    }

    private static Throttle throttle(Strategy strategy, VirtualTime time) {
        return Throttle.builder()
                .strategy(strategy)
                .maxWait(Duration.ofDays(36500))
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .build();
    }

    @Test
    void callersOfAThrottleSleepAsTheOriginalDoesToTheNanosecond() {
        List<Map<String, Object>> vectors = Json.vectors("autosleeper.json");
        assertThat(vectors).hasSize(12);
        for (Map<String, Object> vector : vectors) {
            VirtualTime time = new VirtualTime();
            Throttle throttle = throttle(strategy(vector), time);
            ThrottledCall call = Calls.of(throttle).newCall();
            long expectedSleep = 0;
            long totalSleep = 0;
            int sleeps = 0;
            int steps = 0;
            int decreases = 0;
            Duration interval = Duration.ZERO;
            int refusals = 0;
            for (Map<String, Object> step : Json.maps(vector.get("steps"))) {
                long before = time.nanoTime();
                Permit permit = await(call.acquireAsync(), time);
                assertThat(time.nanoTime() - before).as("%s", vector.get("id")).isEqualTo(expectedSleep);
                if ((Boolean) step.get("success")) {
                    permit.complete(Signal.SUCCESS);
                    call = Calls.of(throttle).newCall();
                } else {
                    assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
                    refusals++;
                }
                expectedSleep = whole(step, "sleptNanos");
                assertThat(throttle.snapshot().sleep()).isEqualTo(Duration.ofNanos(whole(step, "intervalNanos")));
                boolean shorter = throttle.snapshot().sleep().compareTo(interval) < 0;
                decreases += shorter && (Boolean) step.get("success") ? 1 : 0;
                sleeps += !interval.isZero() || !(Boolean) step.get("success") ? 1 : 0; // some of no length
                totalSleep += expectedSleep;
                interval = throttle.snapshot().sleep();
                steps++;
            }
            @SuppressWarnings("unchecked")
            Map<String, Object> metrics = (Map<String, Object>) vector.get("metrics");
            assertThat(steps).isEqualTo((int) whole(metrics, "TotalInvocation"));
            assertThat(refusals).isEqualTo((int) whole(metrics, "TotalWentUp"));
            assertThat(decreases).isEqualTo((int) whole(metrics, "TotalWentDown"));
            assertThat(sleeps).isEqualTo((int) whole(metrics, "TotalSlept"));
            assertThat(totalSleep).isEqualTo(whole(metrics, "TotalSleepTime"));
        }
    }

    private static Permit await(CompletableFuture<Permit> admission, VirtualTime time) {
        while (!admission.isDone()) {
            assertThat(time.advanceToNextTask()).isTrue();
        }
        return admission.join();
    }

    @Test
    void fifteenFailuresInARowLeadToThePublishedSleep() {
        SleepController controller = Strategies.responsiveBackoff()
                .initialInterval(Duration.ofMillis(1))
                .upMultiplier(1.5)
                .downMultiplier(0.6)
                .downMultiplierThreshold(5)
                .randomizationFactor(0)
                .build()
                .newController(ControllerHost.detached(new SplittableRandom(1)));
        for (int refusals = 1; refusals <= 15; refusals++) {
            controller.onSignal(Signal.RATE_LIMITED, refusals, 0);
        }
        assertThat(String.format("%.1f ms", controller.sleepSeconds() * 1e3)).isEqualTo("291.9 ms");
    }
}
