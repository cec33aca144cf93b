package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Limits that change while they are in use: what they have counted goes on counting, to the nanosecond. */
class ChangedLimitsTest {

    private final Timeline line = new Timeline();
    private final List<CompletableFuture<Permit>> asked = new ArrayList<>();

    private Throttle limited(Strategy limit) {
        return line.throttle(Strategies.none()).limit(limit).build();
    }

    private static void change(Throttle throttle, Strategy limit) {
        throttle.reconfigure(key -> key.clearLimits().limit(limit));
    }

    private static Strategy bucket(long burst, long permits, Duration period) {
        return Strategies.tokenBucket().burst(burst).rate(permits, period).build();
    }

    private static Strategy bucket(long burst) {
        return bucket(burst, 10, Duration.ofSeconds(1));
    }

    private static Strategy leaky(long permits) {
        return Strategies.leakyBucket().rate(permits, Duration.ofSeconds(1)).build();
    }

    private static Strategy fixed(long limit, int seconds) {
        return Strategies.fixedWindow()
                .limit(limit)
                .window(Duration.ofSeconds(seconds))
                .build();
    }

    private static Strategy log(long limit, int seconds) {
        return Strategies.slidingWindowLog()
                .limit(limit)
                .window(Duration.ofSeconds(seconds))
                .build();
    }

    private static Strategy counter(long limit, int seconds) {
        return Strategies.slidingWindowCounter()
                .limit(limit)
                .window(Duration.ofSeconds(seconds))
                .build();
    }

    private static Strategy inFlight(long limit) {
        return Strategies.inFlight().limit(limit).build();
    }

    private void take(Throttle throttle, int permits) {
        for (int i = 0; i < permits; i++) {
            Permit permit = throttle.tryAcquire();
            assertThat(permit).as("permit %d", i).isNotNull();
            asked.add(CompletableFuture.completedFuture(permit));
        }
    }

    private void ask(Throttle throttle, int callers) {
        for (int i = 1; i <= callers; i++) {
            asked.add(line.ask(throttle, "" + i));
        }
    }

    private void end(int permits, Signal signal) {
        for (int i = 0; i < permits; i++) {
            asked.remove(0).join().complete(signal);
        }
    }

    @Test
    void aBucketThatBecomesSmallerHandsOutNoFreshBurst() {
        Throttle throttle = limited(bucket(100));
        take(throttle, 30);
        change(throttle, bucket(10));
        ask(throttle, 2);
        line.advanceMillis(200);
        assertThat(line.events).containsExactly("1@100", "2@200");
    }

    @Test
    void aBucketThatBecomesSmallerKeepsWhatWasNotUsed() {
        Throttle throttle = limited(bucket(100));
        take(throttle, 7);
        change(throttle, bucket(10));
        ask(throttle, 4);
        line.advanceMillis(100);
        assertThat(line.events).containsExactly("1@0", "2@0", "3@0", "4@100");
    }

    @Test
    void aBucketThatBecomesLargerHasRoomForTheDifference() {
        Throttle throttle = limited(bucket(10));
        take(throttle, 10);
        ask(throttle, 4);
        assertThat(line.events).isEmpty();
        change(throttle, bucket(13));
        assertThat(line.events).containsExactly("1@0", "2@0", "3@0");
        line.advanceMillis(100);
        assertThat(line.events).endsWith("4@100");
    }

    @Test
    void atAnotherRateWhatIsMissingDripsInAtThatRate() {
        Throttle throttle = limited(bucket(1, 1, Duration.ofSeconds(1)));
        take(throttle, 1);
        ask(throttle, 2);
        line.advanceMillis(400);
        change(throttle, bucket(1, 3, Duration.ofSeconds(1))); // 0.6 tokens are missing: 200 ms
        line.advanceMillis(600);
        assertThat(line.events).containsExactly("1@600", "2@933.333334");
    }

    @Test
    void whatIsOwedBeyondTheStockStaysOwed() {
        Strategy tokens = Strategies.tokenBucket()
                .unit("tokens")
                .burst(100)
                .rate(10, Duration.ofSeconds(1))
                .build();
        Throttle throttle = limited(tokens);
        Permit permit = throttle.acquireAsync().join();
        permit.settle(Cost.of("tokens", 120));
        change(
                throttle,
                Strategies.tokenBucket()
                        .unit("tokens")
                        .burst(10)
                        .rate(10, Duration.ofSeconds(1))
                        .build());
        line.record(
                Calls.of(throttle)
                        .newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 10)))
                        .acquireAsync(),
                "ten");
        line.advanceMillis(3_000);
        assertThat(line.events).containsExactly("ten@3000");
    }

    @Test
    void permitsThatComeBackAfterTheChangeAreAsIfTheyHadNeverBeenTaken() {
        Throttle throttle = limited(bucket(100));
        take(throttle, 30);
        change(throttle, bucket(10));
        end(19, Signal.IGNORED); // with 11 taken it would be empty still
        ask(throttle, 3);
        assertThat(line.events).isEmpty();
        end(3, Signal.IGNORED); // and with 8 not
        assertThat(line.events).containsExactly("1@0", "2@0");
        line.advanceMillis(100);
        assertThat(line.events).endsWith("3@100");
    }

    @Test
    void permitsComeBackAtTheNewRateToo() {
        Throttle throttle = limited(bucket(2, 1, Duration.ofSeconds(10)));
        take(throttle, 2);
        line.advanceMillis(1);
        change(throttle, bucket(2, 1, Duration.ofSeconds(1)));
        end(1, Signal.IGNORED);
        ask(throttle, 2);
        line.advanceMillis(2_000);
        // 1.9999 tokens were missing, which is 1.9999 s now; one came back
        assertThat(line.events).containsExactly("1@1", "2@1000.900000");
    }

    @Test
    void aLeakyBucketGoesOnWithItsSpacing() {
        Throttle throttle = limited(leaky(10));
        take(throttle, 1);
        ask(throttle, 2);
        line.advanceMillis(50);
        change(throttle, leaky(2)); // half of a permit is to drip in: 250 ms
        line.advanceMillis(750);
        assertThat(line.events).containsExactly("1@300", "2@800");
    }

    @Test
    void aFixedWindowKeepsItsWindowAndItsCount() {
        Throttle throttle = limited(fixed(10, 1));
        line.advanceMillis(300);
        take(throttle, 10);
        line.advanceMillis(400);
        change(throttle, fixed(12, 1));
        ask(throttle, 3);
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("1@700", "2@700", "3@1300");
    }

    @Test
    void aFixedWindowWithALowerLimitWaitsForTheNext() {
        Throttle throttle = limited(fixed(10, 1));
        take(throttle, 6);
        change(throttle, fixed(3, 1));
        ask(throttle, 4);
        line.advanceMillis(2_000);
        assertThat(line.events).containsExactly("1@1000", "2@1000", "3@1000", "4@2000");
    }

    @Test
    void aWindowOfAnotherLengthCountsWhatCounted() {
        Throttle throttle = limited(fixed(10, 60));
        take(throttle, 10);
        line.advanceMillis(30_500);
        change(throttle, fixed(10, 1)); // the windows of a second that begin where the other began
        ask(throttle, 1);
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("1@31000");
    }

    @Test
    void aLogKeepsWhatIsWithinTheNewWindow() {
        Throttle throttle = limited(log(3, 10));
        take(throttle, 1);
        line.advanceMillis(1_000);
        take(throttle, 2);
        line.advanceMillis(500);
        ask(throttle, 3);
        change(throttle, log(2, 1));
        line.advanceMillis(1_500);
        assertThat(line.events).containsExactly("1@2000", "2@2000", "3@3000");
    }

    @Test
    void aCounterKeepsItsEstimate() {
        Throttle throttle = limited(counter(10, 1));
        take(throttle, 10);
        line.advanceMillis(1_500);
        change(throttle, counter(6, 1)); // half of the ten count: one is free, the next when 4 count and 1 more went
        ask(throttle, 2);
        line.advanceMillis(500);
        assertThat(line.events).containsExactly("1@1500", "2@1600");
    }

    @Test
    void aCounterOfAnotherLengthCountsWhatItEstimated() {
        Throttle throttle = limited(counter(10, 10));
        take(throttle, 10);
        line.advanceMillis(15_000);
        change(throttle, counter(5, 2)); // five count, in the window from 14 s on
        ask(throttle, 1);
        line.advanceMillis(5_000);
        assertThat(line.events).containsExactly("1@16400"); // four of five after a fifth of the next window
    }

    @Test
    void requestsOnTheWireCountForALimitOfThem() {
        Throttle throttle = limited(inFlight(3));
        take(throttle, 3);
        ask(throttle, 3);
        change(throttle, inFlight(5));
        assertThat(line.events).containsExactly("1@0", "2@0");
        change(throttle, inFlight(2)); // five are on the wire
        end(3, Signal.SUCCESS);
        assertThat(line.events).hasSize(2);
        end(1, Signal.IGNORED);
        assertThat(line.events).containsExactly("1@0", "2@0", "3@0");
        assertThat(throttle.snapshot().inFlight()).isEqualTo(2);
    }

    @Test
    void aLimitOfRequestsInFlightThatIsNewCountsThoseThatWentBefore() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        take(throttle, 3); // nobody had to count
        throttle.reconfigure(key -> key.limit(inFlight(2)));
        ask(throttle, 1);
        end(1, Signal.SUCCESS);
        assertThat(line.events).isEmpty();
        end(1, Signal.SUCCESS);
        assertThat(line.events).containsExactly("1@0");
    }

    @Test
    void aBucketThatIsNewTakesNothingBackThatItNeverGave() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        take(throttle, 3);
        throttle.reconfigure(key -> key.limit(bucket(1)));
        ask(throttle, 2);
        end(3, Signal.IGNORED);
        line.advanceMillis(100);
        assertThat(line.events).containsExactly("1@0", "2@100");
    }

    @Test
    void whatIsUsedOfOneKindIsUsedOfAnother() {
        Throttle throttle = limited(bucket(10));
        take(throttle, 10);
        ask(throttle, 8);
        change(throttle, fixed(12, 1));
        assertThat(line.events).containsExactly("1@0", "2@0");
        change(throttle, log(14, 1));
        assertThat(line.events).hasSize(4);
        change(throttle, counter(5, 1));
        assertThat(line.events).hasSize(4);
        change(throttle, leaky(10));
        line.advanceMillis(100);
        assertThat(line.events).endsWith("5@100").hasSize(5);
        change(throttle, bucket(2, 10, Duration.ofSeconds(1)));
        assertThat(line.events).endsWith("6@100").hasSize(6);
        line.advanceMillis(100);
        assertThat(line.events).endsWith("7@200");
    }

    @Test
    void ofTwoLimitsOfAKindTheOneThatIsNotTouchedStays() {
        Strategy hourly = bucket(5, 5, Duration.ofHours(1));
        Throttle throttle =
                line.throttle(Strategies.none()).limit(bucket(3)).limit(hourly).build();
        take(throttle, 3);
        throttle.reconfigure(
                key -> key.clearLimits().limit(hourly).limit(bucket(4)).maxWait(Duration.ofDays(1)));
        ask(throttle, 3);
        line.advanceMillis(3_600_000);
        assertThat(line.events).containsExactly("1@0", "2@100", "3@720000");
    }

    @Test
    void twoChangesAreOneAfterTheOther() {
        Throttle throttle = limited(bucket(100));
        take(throttle, 100);
        for (int burst = 99; burst > 0; burst--) {
            change(throttle, bucket(burst));
        }
        for (int burst = 2; burst <= 50; burst++) {
            change(throttle, bucket(burst)); // what was cut is still to drip in
        }
        assertThat(throttle.snapshot().inFlight()).isEqualTo(100);
        ask(throttle, 50);
        assertThat(line.events).isEmpty();
        line.advanceMillis(200);
        assertThat(line.events).containsExactly("1@100", "2@200");
    }
}
