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
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The sleeps of the original programs, call by call, without jitter. */
class HerokuVectorsTest {

    private static final double RELATIVE_ERROR = 1e-9;
    /** No clock in nanoseconds can hold what the multiplier 3 without bound leads to: up to 10^22 seconds. */
    private static final double LONGEST_SECONDS = Duration.ofDays(36500).toSeconds();

    private record Call(List<Signal> responses, List<Double> sleepsBefore, double sleepAfter) {}

    private static Strategy strategy(Map<String, Object> vector) {
        Map<String, String> settings = new HashMap<>(Map.of("jitter", "0", "maxSleep", "forever"));
        @SuppressWarnings("unchecked")
        Map<String, Object> config = (Map<String, Object>) vector.get("config");
        config.forEach((key, value) -> {
            if (value != null) {
                boolean duration = key.endsWith("Sleep") || key.equals("decrease");
                settings.put(key, value + (duration ? "s" : ""));
            }
        });
        return Strategies.named((String) vector.get("strategy"), settings);
    }

    @SuppressWarnings("unchecked")
    private static List<Call> calls(Map<String, Object> vector) {
        boolean sleepsAfterResponses = vector.get("strategy").equals("exponential-backoff");
        List<Call> calls = new ArrayList<>();
        for (Map<String, Object> call : Json.maps(vector.get("calls"))) {
            List<Signal> responses = new ArrayList<>();
            for (Map<String, Object> response : Json.maps(call.get("responses"))) {
                long remaining = ((Double) response.get("remaining")).longValue();
                Outcome outcome = response.get("status").equals(429.0) ? Outcome.RATE_LIMITED : Outcome.SUCCESS;
                Quota quota = new Quota(null, null, remaining, null, null);
                responses.add(new Signal(outcome, new RateHints(null, List.of(quota))));
            }
            List<Double> slept = new ArrayList<>((List<Double>) call.get("slept"));
            if (sleepsAfterResponses) {
                assertThat(slept.remove(slept.size() - 1)).isZero();
                slept.add(0, 0.0);
            }
            calls.add(new Call(responses, slept, (Double) call.get("sleepForAfter")));
        }
        return calls;
    }

    private static void assertClose(double actual, double expected, double absolute, Object where) {
        assertThat(Math.abs(actual - expected))
                .as("%s: %s instead of %s", where, actual, expected)
                .isLessThanOrEqualTo(Math.max(expected * RELATIVE_ERROR, absolute));
    }

    @Test
    void controllersDecideTheSleepsOfTheOriginalsInFull() {
        List<Map<String, Object>> vectors = Json.vectors("heroku-strategies.json");
        assertThat(vectors).hasSize(24);
        for (Map<String, Object> vector : vectors) {
            SleepController controller =
                    (SleepController) strategy(vector).newController(ControllerHost.detached(new SplittableRandom(1)));
            assertThat(controller.jitter()).isZero();
            for (Call call : calls(vector)) {
                double sleep = controller.firstSleepSeconds();
                int refusals = 0;
                for (int i = 0; i < call.responses.size(); i++) {
                    assertClose(sleep, call.sleepsBefore.get(i), 0, vector.get("id"));
                    Signal response = call.responses.get(i);
                    refusals = response.outcome().isRefusal() ? refusals + 1 : 0;
                    double decided = controller.onSignal(response, refusals, 0);
                    sleep = controller.retrySleepSeconds(decided);
                }
                assertClose(controller.sleepSeconds(), call.sleepAfter, 0, vector.get("id"));
            }
        }
    }

    @Test
    void callersOfAThrottleSleepAsTheOriginalsDoToTheNanosecond() {
        int calls = 0;
        for (Map<String, Object> vector : Json.vectors("heroku-strategies.json")) {
            VirtualTime time = new VirtualTime();
            Throttle throttle = Throttle.builder()
                    .strategy(strategy(vector))
                    .maxWait(Duration.ofDays(36500))
                    .time(time)
                    .executor(Runnable::run)
                    .seed(1)
                    .build();
            double total = 0;
            for (Call call : calls(vector)) {
                total += call.sleepsBefore.stream().mapToDouble(s -> s).sum() + call.sleepAfter;
                if (total > LONGEST_SECONDS) {
                    break;
                }
                drive(throttle, time, call, vector.get("id"));
                calls++;
            }
        }
        assertThat(calls).isGreaterThan(24 * 40 * 8 / 10);
    }

    private static void drive(Throttle throttle, VirtualTime time, Call call, Object where) {
        ThrottledCall attempts = Calls.of(throttle).newCall();
        for (int i = 0; i < call.responses.size(); i++) {
            long before = time.nanoTime();
            CompletableFuture<Permit> admission = attempts.acquireAsync();
            while (!admission.isDone()) {
                assertThat(time.advanceToNextTask()).isTrue();
            }
            assertClose((time.nanoTime() - before) / 1e9, call.sleepsBefore.get(i), 1e-9, where);
            boolean last = i == call.responses.size() - 1;
            assertThat(admission.join().complete(call.responses.get(i)).isRetry())
                    .isEqualTo(!last);
        }
        double shown = Nanos.toSeconds(Nanos.of(throttle.snapshot().sleep()));
        assertClose(shown, call.sleepAfter, 1e-9, where);
    }

    @Test
    void withoutABoundASleepStaysANumber() {
        for (String name : Strategies.names()) {
            if (Strategies.builder(name).keys().contains("multiplier")) {
                Strategy strategy = Strategies.named(name, Map.of("multiplier", "1000", "maxSleep", "forever"));
                SleepController controller =
                        (SleepController) strategy.newController(ControllerHost.detached(new SplittableRandom(1)));
                for (int refusals = 1; refusals < 2000; refusals++) {
                    assertThat(controller.onSignal(Signal.RATE_LIMITED, refusals, 0))
                            .isFinite();
                }
                controller.onSignal(Signal.SUCCESS, 0, 0);
                assertThat(controller.sleepSeconds()).isFinite();
            }
        }
        assertThat(DurationText.parse("maxSleep", "forever")).isEqualTo(DurationText.FOREVER);
    }
}
