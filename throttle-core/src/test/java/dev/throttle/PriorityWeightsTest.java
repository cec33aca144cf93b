package dev.throttle;

import static dev.throttle.Priority.BATCH;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How classes share while several wait, and that nobody saves turns up. */
class PriorityWeightsTest extends PriorityStory {

    private long count(String prefix) {
        return line.events.stream().filter(event -> event.startsWith(prefix)).count();
    }

    @Test
    void allClassesShareByTheirWeightsWhileAllWait() {
        Throttle throttle = paced().build();
        ask(throttle, NORMAL_CALL, "x");
        askAll(throttle, BATCH_CALL, "b", 400);
        askAll(throttle, NORMAL_CALL, "n", 400);
        askAll(throttle, INTERACTIVE_CALL, "i", 400);
        line.events.clear();
        for (int round = 1; round <= 10; round++) {
            line.advanceMillis(210);
            assertThat(count("i")).isEqualTo(16 * round);
            assertThat(count("n")).isEqualTo(4 * round);
            assertThat(count("b")).isEqualTo(round);
        }
    }

    @Test
    void theWeightsCanBeSetAndCountRequests() {
        Throttle throttle = line.throttle(Strategies.tokenBucket()
                        .rate(100, Duration.ofSeconds(1))
                        .burst(10)
                        .build())
                .priorities(PriorityPolicy.standard().weights(2, 1, 1))
                .build();
        ask(throttle, NORMAL_CALL.permits(10), "x");
        for (int i = 0; i < 40; i++) {
            ask(throttle, NORMAL_CALL.permits(2), "n");
            ask(throttle, INTERACTIVE_CALL, "i");
        }
        line.events.clear();
        line.advanceMillis(120);
        assertThat(count("i")).isEqualTo(8);
        assertThat(count("n")).isEqualTo(2);
    }

    @Test
    void aClassThatWasAwayHasSavedNothingUp() {
        Throttle throttle = paced().build();
        askAll(throttle, BATCH_CALL, "b", 40);
        line.advanceMillis(300);
        line.events.clear();
        askAll(throttle, NORMAL_CALL, "n", 20);
        line.advanceMillis(50);
        assertThat(line.events).hasSize(5);
        assertThat(count("b")).isEqualTo(1);
    }

    @Test
    void aClassThatLeavesAReserveToOthersSavesNoTurnsUpMeanwhile() {
        Throttle throttle = paced().priorities(
                        PriorityPolicy.standard().reserve(BATCH, 0.2).promoteAfter(Duration.ofHours(1)))
                .build();
        Quota quota = new Quota("minute", 100_000L, 19_000L, Duration.ofSeconds(60), null);
        Calls.of(throttle)
                .newCall()
                .acquireForced()
                .complete(Signal.of(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
        askAll(throttle, BATCH_CALL, "b", 500);
        askAll(throttle, NORMAL_CALL, "n", 1_000);
        line.advanceMillis(4_000);
        assertThat(count("b")).isZero();
        line.advanceMillis(2_000); // from 4.3 s on more than the reserve is left
        assertThat(count("b")).isBetween(30L, 36L); // one in five of those since
    }

    @Test
    void aClassThatSleepsSavesNoTurnsUpMeanwhile() {
        Throttle throttle = line.throttle(TestStrategies.sleep(Duration.ofSeconds(10)))
                .limit(TestStrategies.pace(Duration.ofMillis(10)))
                .priorities(PriorityPolicy.standard().promoteAfter(Duration.ofHours(1)))
                .build();
        askAll(throttle, NORMAL_CALL, "n", 1_500);
        line.advanceMillis(5_000);
        askAll(throttle, BATCH_CALL, "b", 500);
        line.advanceMillis(10_000);
        line.events.clear();
        line.advanceMillis(1_000);
        assertThat(count("b")).isEqualTo(20);
        assertThat(count("n")).isEqualTo(80);
    }

    @Test
    void whoHasWaitedLongCountsAsOneOfTheNextClass() {
        Throttle throttle = paced().priorities(
                        PriorityPolicy.standard().weights(1_000, 100, 1).promoteAfter(Duration.ofMillis(100)))
                .build();
        ask(throttle, NORMAL_CALL, "x");
        ask(throttle, BATCH_CALL, "b");
        for (int i = 0; i < 40; i++) {
            askAll(throttle, INTERACTIVE_CALL, "i", 1);
            line.advanceMillis(5);
        }
        // With its own weight it would be the 1,001st; with that of its next class, from 100 ms on, the 11th.
        assertThat(line.events).contains("b@110").hasSize(21);
    }
}
