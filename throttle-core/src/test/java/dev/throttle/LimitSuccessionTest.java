package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which limit follows which as settings change, and what is left of a limit after several changes. */
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
            key.clearLimits();
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
                key -> key.strategy(Strategies.named("busy-rps")).clearLimits().limit(hourly(10)));
        ask(throttle, 1);
        assertThat(line.events).isEmpty();
    }

    @Test
    void aBucketThatShrinksAndGrowsAgainIsAsItWas() {
        Throttle throttle = limited(tenths(100));
        take(throttle, 100);
        change(throttle, tenths(10));
        change(throttle, tenths(100));
        ask(throttle, 2);
        line.advanceMillis(200);
        assertThat(line.events).containsExactly("1@100", "2@200");
    }

    @Test
    void atAnotherRateMeanwhileTheRestDripsInAtThatRate() {
        Throttle throttle = limited(bucket(100, Duration.ofHours(1)));
        take(throttle, 100);
        change(throttle, bucket(10, Duration.ofHours(1)));
        line.advanceMillis(720_000); // two drip in
        take(throttle, 1);
        change(throttle, bucket(100, Duration.ofHours(1))); // 99 are missing
        ask(throttle, 2);
        line.advanceMillis(36_000);
        assertThat(line.events).containsExactly("1@720000", "2@756000");
    }

    @Test
    void whatIsFreeStaysFreeAsABucketGrows() {
        Throttle throttle = limited(tenths(100));
        take(throttle, 100);
        change(throttle, tenths(10));
        line.advanceMillis(500);
        change(throttle, tenths(20));
        ask(throttle, 6);
        line.advanceMillis(100);
        assertThat(line.events).containsExactly("1@500", "2@500", "3@500", "4@500", "5@500", "6@600");
    }

    @Test
    void permitsFromBeforeTwoChangesLowerWhatWasCutByBoth() {
        Throttle throttle = limited(tenths(100));
        take(throttle, 100);
        change(throttle, tenths(50));
        change(throttle, tenths(10));
        giveBack(60); // with 40 taken it would be empty still
        ask(throttle, 3);
        assertThat(line.events).isEmpty();
        giveBack(32); // and with 8 not
        assertThat(line.events).containsExactly("1@0", "2@0");
        line.advanceMillis(100);
        assertThat(line.events).endsWith("3@100");
    }

    @Test
    void permitsFromBetweenTwoChangesComeBackWhole() {
        Throttle throttle = limited(tenths(100));
        take(throttle, 100);
        change(throttle, tenths(10));
        line.advanceMillis(500);
        take(throttle, 5);
        line.advanceMillis(1);
        change(throttle, tenths(20)); // 99.99 are missing of what was, and 19.99 of 20
        permits.subList(0, 100).clear();
        giveBack(5);
        ask(throttle, 6);
        assertThat(line.events).hasSize(5);
    }

    /** A bucket that is as large has refilled by half meanwhile; a window has not. */
    @Test
    void aLimitFollowsOneOfItsKindRatherThanOneOfItsSize() {
        Throttle throttle = limited(bucket(9, Duration.ofHours(1)), hourly(10));
        take(throttle, 9);
        line.advanceMillis(1_800_000);
        change(throttle, hourly(9));
        ask(throttle, 1);
        assertThat(line.events).isEmpty();
        line.advanceMillis(1_800_000);
        assertThat(line.events).containsExactly("1@3600000");
    }
}
