package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.CallOptions;
import dev.throttle.control.RateController;
import dev.throttle.control.RateLimit;
import dev.throttle.control.SleepController;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Controllers of a user who makes mistakes: requests go on, and each mistake is told. */
class SafeControllersTest {

    private static final long NOW = -7;
    private static final RateLimit.Load LOAD = new TrafficLoad(0, Cost.ONE, NOW, 0, 0, 0, 0);

    private final List<Runnable> told = new ArrayList<>();
    private final Map<String, Object> answers = new HashMap<>();

    /** Answers what was said before; a method of which nothing was said fails. */
    private <T> T controller(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    if (!answers.containsKey(method.getName())) {
                        throw new IllegalStateException(method.getName());
                    }
                    return answers.get(method.getName());
                }));
    }

    private RateController rate() {
        return new SafeRateController(controller(RateController.class), "own", told::add);
    }

    private SafeSleepController sleep() {
        return new SafeSleepController(controller(SleepController.class), "own", told::add);
    }

    /** {@return what was answered when one mistake was made and told} */
    private <T> T failing(T answer) {
        assertThat(told).hasSize(1);
        told.clear();
        return answer;
    }

    private void fails(Runnable call) {
        call.run();
        assertThat(told).hasSize(1);
        told.clear();
    }

    private void answer(String method, @Nullable Object value) {
        answers.put(method, value);
    }

    @Test
    void aRateThatFailsHoldsNobodyBack() {
        RateController rate = rate();
        assertThat(told).hasSize(4); // of what never changes
        told.clear();
        assertThat(rate.isAdaptive()).isTrue();
        assertThat(rate.unit()).isEqualTo(Quota.REQUESTS);
        assertThat(rate.maxUnits()).isEqualTo(Long.MAX_VALUE);
        assertThat(rate.maxWaitNanos()).isEqualTo(Long.MAX_VALUE);
        assertThat(failing(rate.isIdle())).as("it is asked again").isFalse();
        assertThat(failing(rate.plansResets())).isFalse();
        assertThat(failing(rate.isForgettable(NOW))).isTrue();
        assertThat(failing(rate.dueNanos(Cost.NONE, Cost.ONE, NOW))).isEqualTo(NOW);
        assertThat(failing(rate.dueNanos(Cost.NONE, Cost.ONE, 0.5, NOW))).isEqualTo(NOW);
        assertThat(failing(rate.costAfterRefusal(Cost.requests(3)))).isEqualTo(Cost.requests(3));
        assertThat(failing(rate.standAsideNanos(1))).isZero();
        assertThat(failing(rate.limitPerSecond())).isInfinite();
        assertThat(failing(rate.limitInFlight())).isEqualTo(Integer.MAX_VALUE);
        fails(() -> rate.takeOver(null, LOAD, NOW));
        fails(() -> rate.onAdmitted(Cost.ONE, 0, NOW));
        fails(() -> rate.onSignal(Signal.SUCCESS, LOAD, NOW));
        fails(() -> rate.onHeard(Signal.SUCCESS, LOAD, NOW));
        fails(() -> rate.onSettled(Cost.ONE, Cost.ONE, 0, NOW, NOW));
        fails(() -> rate.onShared(2, 1, NOW));
    }

    @Test
    void whatARateAnswersIsPassedOn() {
        answer("isAdaptive", false);
        answer("unit", "tokens");
        answer("maxUnits", 50L);
        answer("maxWaitNanos", 60L);
        answer("isIdle", true);
        answer("plansResets", true);
        answer("isForgettable", false);
        answer("dueNanos", NOW + 5);
        answer("costAfterRefusal", Cost.requests(2));
        answer("standAsideNanos", 70L);
        answer("limitPerSecond", 8.0);
        answer("limitInFlight", 9);
        RateController rate = rate();
        assertThat(rate.isAdaptive()).isFalse();
        assertThat(rate.unit()).isEqualTo("tokens");
        assertThat(rate.maxUnits()).isEqualTo(50);
        assertThat(rate.maxWaitNanos()).isEqualTo(60);
        assertThat(rate.isIdle()).isTrue();
        assertThat(rate.plansResets()).isTrue();
        assertThat(rate.isForgettable(NOW)).isFalse();
        assertThat(rate.dueNanos(Cost.NONE, Cost.ONE, NOW)).isEqualTo(NOW + 5);
        assertThat(rate.dueNanos(Cost.NONE, Cost.ONE, 0, NOW)).isEqualTo(NOW + 5);
        assertThat(rate.dueNanos(Cost.NONE, Cost.ONE, 0.5, NOW)).isEqualTo(NOW + 5);
        assertThat(rate.costAfterRefusal(Cost.ONE)).isEqualTo(Cost.requests(2));
        assertThat(rate.standAsideNanos(1)).isEqualTo(70);
        assertThat(rate.limitPerSecond()).isEqualTo(8);
        assertThat(rate.limitInFlight()).isEqualTo(9);
        assertThat(told).isEmpty();
    }

    @Test
    void nonsenseFromARateIsRead() {
        answer("isAdaptive", true);
        answer("unit", "tokens");
        answer("maxUnits", 0L);
        answer("maxWaitNanos", -1L);
        answer("costAfterRefusal", null);
        assertThat(rate().maxUnits()).isEqualTo(1);
        assertThat(rate().maxWaitNanos()).isZero();
        assertThat(failing(rate().costAfterRefusal(Cost.ONE))).isEqualTo(Cost.ONE);
        answer("standAsideNanos", -1L);
        assertThat(rate().standAsideNanos(1)).isZero();
        answer("standAsideNanos", Long.MAX_VALUE);
        assertThat(rate().standAsideNanos(1)).isEqualTo(Nanos.MAX);
        answer("limitPerSecond", 0.0);
        assertThat(rate().limitPerSecond()).isZero();
        answer("limitPerSecond", -1.0);
        assertThat(rate().limitPerSecond()).isInfinite();
        answer("limitPerSecond", Double.NaN);
        assertThat(rate().limitPerSecond()).isInfinite();
        answer("limitInFlight", -1);
        assertThat(rate().limitInFlight()).isZero();
        assertThat(told).isEmpty();
        answer("unit", null);
        assertThat(failing(rate()).unit()).isEqualTo(Quota.REQUESTS);
        answer("unit", " ");
        assertThat(failing(rate()).unit()).isEqualTo(Quota.REQUESTS);
    }

    private static CallState first() {
        return new CallState(CallOptions.DEFAULT, NOW);
    }

    private static CallState refused(double sleepSeconds, double random) {
        CallState call = first();
        call.failed(Outcome.BUSY, 503);
        call.prepareRetry(Nanos.ofSeconds(sleepSeconds), random, NOW);
        return call;
    }

    @Test
    void aSleepThatFailsIsNone() {
        SafeSleepController sleep = failing(sleep());
        assertThat(sleep.isAdaptive()).isTrue();
        assertThat(failing(sleep.isIdle())).as("it is asked again").isFalse();
        assertThat(failing(sleep.sleepNanos())).isZero();
        assertThat(failing(sleep.firstSleepNanos())).isZero();
        assertThat(failing(sleep.onSignal(Signal.BUSY, 1, NOW))).isZero();
        fails(() -> sleep.takeOver(null, NOW));
        answer("jitter", 0.0);
        assertThat(failing(sleep.sleepNanos(first()))).isZero();
        assertThat(failing(sleep.sleepNanos(refused(3, 0))))
                .as("what was decided holds")
                .isEqualTo(Nanos.ofSeconds(3));
    }

    @Test
    void whatASleepAnswersIsPassedOnIfItIsSense() {
        answer("isAdaptive", false);
        answer("isIdle", true);
        answer("jitter", 0.0);
        SafeSleepController sleep = sleep();
        assertThat(sleep.isAdaptive()).isFalse();
        assertThat(sleep.isIdle()).isTrue();
        for (String method : List.of("sleepSeconds", "firstSleepSeconds", "onSignal", "retrySleepSeconds")) {
            for (double seconds : new double[] {2.5, 0, -1, Double.NaN}) {
                answer(method, seconds);
                long answer = switch (method) {
                    case "sleepSeconds" -> sleep.sleepNanos();
                    case "firstSleepSeconds" -> sleep.firstSleepNanos();
                    case "onSignal" -> sleep.onSignal(Signal.BUSY, 1, NOW);
                    default -> sleep.sleepNanos(refused(4, 0));
                };
                assertThat(answer).as(method).isEqualTo(Nanos.ofSeconds(seconds > 0 ? seconds : 0));
            }
        }
        assertThat(told).isEmpty();
    }

    @Test
    void jitterIsAddedInPart() {
        answer("isAdaptive", true);
        answer("retrySleepSeconds", 1.0);
        SafeSleepController sleep = sleep();
        for (double jitter : new double[] {0.5, 7, 0, -1, Double.NaN}) {
            answer("jitter", jitter);
            double most = jitter > 0 ? Math.min(1, jitter) : 0;
            assertThat(sleep.sleepNanos(refused(1, 0))).isEqualTo(1_000_000_000);
            assertThat(sleep.sleepNanos(refused(1, 0.5))).isEqualTo((long) (1e9 + 5e8 * most));
            assertThat(sleep.sleepNanos(refused(1, 1))).isEqualTo((long) (1e9 + 1e9 * most));
        }
    }

    @Test
    void theLongestSleepIsThatOfACallerWithoutLuck() {
        answer("isAdaptive", true);
        answer("jitter", 0.5);
        answer("sleepSeconds", 2.0);
        answer("firstSleepSeconds", 4.0);
        SafeSleepController sleep = sleep();
        assertThat(sleep.longestNanos()).isEqualTo(6_000_000_000L);
        answer("sleepSeconds", 4.0);
        answer("firstSleepSeconds", 2.0);
        assertThat(sleep.longestNanos()).isEqualTo(6_000_000_000L);
        answer("jitter", 1.0);
        answer("sleepSeconds", Double.MAX_VALUE);
        assertThat(sleep.longestNanos()).isBetween(Nanos.MAX - 1, Nanos.MAX);
    }
}
