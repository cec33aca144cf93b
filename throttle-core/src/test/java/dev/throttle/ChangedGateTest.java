package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a server's word means after the settings of a running throttle have changed. */
class ChangedGateTest {

    private static final Duration RESET = Duration.ofSeconds(60);

    private final Timeline line = new Timeline();

    private static void observe(Throttle throttle, Signal signal) {
        throttle.acquireAsync().join().complete(signal);
    }

    @Test
    void theJitterIsTheNewOne() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        throttle.reconfigure(key -> key.retryAfterJitter(1, Duration.ofSeconds(5)));
        observe(throttle, Timeline.retryAfter(Duration.ofSeconds(10)));
        line.ask(throttle, "a");
        line.advanceMillis(10_000);
        assertThat(line.events).isEmpty();
        line.advanceMillis(5_000);
        assertThat(line.events).hasSize(1);
    }

    @Test
    void aStrategyThatPlansNoResetsLeavesThemToTheGate() {
        Throttle throttle = line.throttle(Strategies.standard()).build();
        throttle.reconfigure(key -> key.strategy(Strategies.none()));
        observe(throttle, Timeline.exhausted(Outcome.SUCCESS, RESET));
        line.ask(throttle, "a");
        line.advanceMillis(59_999);
        assertThat(line.events).isEmpty();
        line.advanceMillis(1);
        assertThat(line.events).containsExactly("a@60000");
    }

    @Test
    void aStrategyThatPlansResetsTakesThemFromTheGate() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        throttle.reconfigure(key -> key.strategy(Strategies.standard()));
        observe(throttle, Timeline.exhausted(Outcome.SUCCESS, RESET));
        assertThat(throttle.snapshot().blocked()).isZero();
        throttle.reconfigure(key -> key.strategy(Strategies.none()));
        observe(throttle, Timeline.exhausted(Outcome.SUCCESS, RESET));
        assertThat(throttle.snapshot().blocked()).isEqualTo(RESET);
    }

    @Test
    void costsCountAsSoonAsALimitCountsThem() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        assertThat(Calls.of(throttle).newCall().countsCosts()).isFalse();
        throttle.reconfigure(key -> key.limit(Strategies.tokenBucket().build()));
        assertThat(Calls.of(throttle).newCall().countsCosts()).isFalse();
        throttle.reconfigure(
                key -> key.limit(Strategies.tokenBucket().unit("tokens").build()));
        assertThat(Calls.of(throttle).newCall().countsCosts()).isTrue();
    }
}
