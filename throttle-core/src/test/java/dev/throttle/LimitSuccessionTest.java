package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which limit follows which as settings change. */
class LimitSuccessionTest {

    private final Timeline line = new Timeline();
    private final List<Permit> permits = new ArrayList<>();

    private static Strategy bucket(long permits, Duration period) {
        return Strategies.tokenBucket().rate(permits, period).build();
    }

    private static Strategy tenths(long burst) {
        return Strategies.tokenBucket()
                .burst(burst)
                .rate(10, Duration.ofSeconds(1))
                .build();
    }

    private static Strategy hourly(long limit) {
        return Strategies.fixedWindow().limit(limit).window(Duration.ofHours(1)).build();
    }

    private Throttle limited(Strategy... limits) {
        Throttle.Builder builder = line.throttle(Strategies.none()).maxWait(Duration.ofDays(1));
        for (Strategy limit : limits) {
            builder.limit(limit);
        }
        return builder.build();
    }

    private static void change(Throttle throttle, Strategy... limits) {
        throttle.reconfigure(key -> {
            key.noLimits();
            for (Strategy limit : limits) {
                key.limit(limit);
            }
        });
    }

    private void take(Throttle throttle, int count) {
        for (int i = 0; i < count; i++) {
            Permit permit = throttle.tryAcquire();
            assertThat(permit).as("permit %d", i).isNotNull();
            permits.add(permit);
        }
    }

    private void ask(Throttle throttle, int callers) {
        for (int i = 1; i <= callers; i++) {
            line.ask(throttle, "" + i);
        }
    }

    private void giveBack(int count) {
        for (int i = 0; i < count; i++) {
            permits.remove(0).complete(Signal.IGNORED);
        }
    }

    @Test
    void ofSeveralThatAreGoneALimitFollowsTheOneMostLikeIt() {
        Throttle throttle = limited(bucket(50, Duration.ofSeconds(1)), bucket(10, Duration.ofHours(1)));
        take(throttle, 10);
        line.advanceMillis(1_000);
        change(throttle, bucket(9, Duration.ofHours(1)));
        ask(throttle, 1);
        line.advanceMillis(400_000);
        assertThat(line.events).containsExactly("1@401000");
    }

    @Test
    void whoIsMoreLikeALimitFollowsItInWhateverOrderTheyCome() {
        Throttle throttle = limited(bucket(50, Duration.ofSeconds(1)), bucket(10, Duration.ofHours(1)));
        take(throttle, 10);
        line.advanceMillis(1_000);
        change(throttle, bucket(100, Duration.ofHours(1)), bucket(11, Duration.ofHours(1)));
        ask(throttle, 2);
        assertThat(line.events).containsExactly("1@1000");
    }

    @Test
    void aLimitOfRequestsInFlightTakesNoCountAway() {
        Throttle throttle = limited(bucket(10, Duration.ofHours(1)));
        take(throttle, 10);
        change(throttle, Strategies.inFlight().limit(20).build(), hourly(10));
        ask(throttle, 1);
        assertThat(line.events).isEmpty();
        line.advanceMillis(3_600_000);
        assertThat(line.events).containsExactly("1@3600000");
    }

    @Test
    void aStrategyThatLearnsTakesNoCountAway() {
        Throttle throttle = limited(bucket(10, Duration.ofHours(1)));
        take(throttle, 10);
        throttle.reconfigure(
                key -> key.strategy(Strategies.named("busy-rps")).noLimits().limit(hourly(10)));
        ask(throttle, 1);
        assertThat(line.events).isEmpty();
    }
}
