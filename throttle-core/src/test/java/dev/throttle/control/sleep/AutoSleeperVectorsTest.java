package dev.throttle.control.sleep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.ThrottledCall;
import dev.throttle.control.Controller;
import dev.throttle.control.Json;
import dev.throttle.control.SleepController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.control.sleep.ResponsiveBackoff.Counters;
import dev.throttle.signal.Signal;
import dev.throttle.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The sleeps and counters of the original AutoSleeper, step by step, without randomness. */
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

    /** The same strategy, whose controllers can be looked at. */
    private static Strategy counting(Strategy strategy, List<ResponsiveBackoff.State> made) {
        return new Strategy() {
            @Override
            public String name() {
                return strategy.name();
            }

            @Override
            public Controller newController(RandomGenerator random) {
                ResponsiveBackoff.State state = (ResponsiveBackoff.State) strategy.newController(random);
                made.add(state);
                return state;
            }
        };
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
            List<ResponsiveBackoff.State> counted = new ArrayList<>();
            Throttle throttle = throttle(counting(strategy(vector), counted), time);
            counted.remove(0); // which the builder made to look at
            ThrottledCall call = throttle.newCall();
            long expectedSleep = 0;
            for (Map<String, Object> step : Json.maps(vector.get("steps"))) {
                long before = time.nanoTime();
                Permit permit = await(call.acquireAsync(), time);
                assertThat(time.nanoTime() - before).as("%s", vector.get("id")).isEqualTo(expectedSleep);
                if ((Boolean) step.get("success")) {
                    permit.complete(Signal.SUCCESS);
                    call = throttle.newCall();
                } else {
                    assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
                }
                expectedSleep = whole(step, "sleptNanos");
                assertThat(throttle.snapshot().sleep()).isEqualTo(Duration.ofNanos(whole(step, "intervalNanos")));
            }
            @SuppressWarnings("unchecked")
            Map<String, Object> metrics = (Map<String, Object>) vector.get("metrics");
            assertThat(counted.get(0).report())
                    .isEqualTo(new Counters(
                            whole(metrics, "TotalInvocation"),
                            whole(metrics, "TotalWentUp"),
                            whole(metrics, "TotalWentDown"),
                            whole(metrics, "TotalSlept"),
                            Duration.ofNanos(whole(metrics, "TotalSleepTime"))));
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
                .newController(new SplittableRandom(1));
        for (int refusals = 1; refusals <= 15; refusals++) {
            controller.onSignal(Signal.RATE_LIMITED, refusals, 0);
        }
        assertThat(String.format("%.1f ms", controller.sleepSeconds() * 1e3)).isEqualTo("291.9 ms");
    }
}
