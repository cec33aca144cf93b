package dev.throttle.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.client.Calls;
import dev.throttle.control.sleep.ResponsiveBackoff;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stated ranges of randomness, as callers of a throttle see them. */
class JitterTest {

    private static final int DRAWS = 100_000;

    private final VirtualTime time = new VirtualTime();

    private Throttle throttle(Strategy strategy) {
        return Throttle.builder()
                .strategy(strategy)
                .maxWait(Duration.ofHours(1))
                .time(time)
                .executor(Runnable::run)
                .seed(42)
                .build();
    }

    private Permit await(CompletableFuture<Permit> admission) {
        while (!admission.isDone()) {
            assertThat(time.advanceToNextTask()).isTrue();
        }
        return admission.join();
    }

    /** All draws lie in the range, and they fill it from end to end. */
    private static void assertRange(LongSupplier draw, long least, long most) {
        long lowest = Long.MAX_VALUE;
        long highest = 0;
        double sum = 0;
        for (int i = 0; i < DRAWS; i++) {
            long value = draw.getAsLong();
            lowest = Math.min(lowest, value);
            highest = Math.max(highest, value);
            sum += value;
        }
        long slack = (most - least) / 1000;
        assertThat(lowest).isBetween(least, least + slack);
        assertThat(highest).isBetween(most - slack, most);
        assertThat(sum / DRAWS).isBetween(middle(least, most) - 10.0 * slack, middle(least, most) + 10.0 * slack);
    }

    private static double middle(long least, long most) {
        return (least + most) / 2.0;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "exponential-increase-gradual-decrease",
                "exponential-increase-proportional-decrease",
                "exponential-increase-proportional-remaining-decrease"
            })
    void aSleepIsLengthenedByUpToATenth(String name) {
        Throttle throttle = throttle(Strategies.named(name, Map.of("startingSleep", "10s")));
        assertRange(
                () -> {
                    long before = time.nanoTime();
                    await(throttle.acquireAsync()).release();
                    return time.nanoTime() - before;
                },
                10_000_000_000L,
                11_000_000_000L);
    }

    @ParameterizedTest
    @CsvSource({
        "exponential-backoff, 800000000",
        "linear-backoff, 1000000000",
        "exponential-increase-gradual-decrease, 800000000"
    })
    void theSleepOfARetryIsLengthenedByUpToATenth(String name, long sleep) {
        Throttle throttle = throttle(Strategies.named(name));
        assertRange(
                () -> {
                    ThrottledCall call = Calls.of(throttle).newCall();
                    await(call.acquireAsync()).complete(Signal.RATE_LIMITED);
                    long before = time.nanoTime();
                    await(call.acquireAsync()).complete(Signal.SUCCESS);
                    long slept = time.nanoTime() - before;
                    await(throttle.acquireAsync()).complete(Signal.SUCCESS);
                    return slept;
                },
                sleep,
                sleep * 11 / 10);
    }

    @Test
    void aNewIntervalOfResponsiveBackoffIsMovedByUpToThirtyPercent() {
        assertRange(
                interval(Strategies.responsiveBackoff()), nanos(525), nanos(975)); // 500 ms x 1.5, plus or minus 0.3
    }

    @Test
    void butByNoMoreThanItsMaximum() {
        assertRange(
                interval(Strategies.responsiveBackoff().maxRandomization(Duration.ofMillis(50))),
                nanos(700),
                nanos(800));
    }

    private LongSupplier interval(ResponsiveBackoff.Builder builder) {
        Throttle throttle =
                throttle(builder.downMultiplier(0).downMultiplierThreshold(1).build());
        return () -> {
            ThrottledCall call = Calls.of(throttle).newCall();
            await(call.acquireAsync()).complete(Signal.RATE_LIMITED);
            await(call.acquireAsync()).complete(Signal.RATE_LIMITED);
            long before = time.nanoTime();
            await(call.acquireAsync()).complete(Signal.SUCCESS);
            return time.nanoTime() - before;
        };
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }
}
