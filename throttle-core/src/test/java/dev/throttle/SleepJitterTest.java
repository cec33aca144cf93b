package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Sleeps of ten to twenty seconds. */
class SleepJitterTest {

    private final Timeline line = new Timeline();
    private final Strategy tenToTwenty = Strategies.exponentialIncreaseGradualDecrease()
            .startingSleep(Duration.ofSeconds(10))
            .jitter(1)
            .build();

    @Test
    void eachCallSleepsForAnotherTime() {
        Set<Long> sleeps = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            Throttle throttle = line.throttle(tenToTwenty).seed(i).build();
            long before = line.time.nanoTime();
            var admission = throttle.acquireAsync();
            while (!admission.isDone()) {
                assertThat(line.time.advanceToNextTask()).isTrue();
            }
            sleeps.add(line.time.nanoTime() - before);
        }
        assertThat(sleeps).hasSize(20).allMatch(nanos -> nanos > 10_000_000_000L && nanos < 20_000_000_000L);
    }

    @Test
    void whoStandsBehindALongSleeperKnowsThatItWaitsForThatToo() {
        Throttle throttle = line.throttle(tenToTwenty).build();
        line.ask(throttle, "first");
        long first = throttle.estimateWait(CallOptions.DEFAULT).atLeast().toNanos();
        assertThat(first).as("what the seed has drawn").isGreaterThan(12_000_000_000L);
        CallOptions lessPatient = CallOptions.DEFAULT.maxWait(Duration.ofNanos(first - 1));
        for (int i = 0; i < 30; i++) {
            line.ask(Calls.of(throttle).newCall(lessPatient), "next");
        }
        assertThat(line.events).hasSize(30).containsOnly("next rejected@0");
    }
}
