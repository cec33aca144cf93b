package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whoever cannot make it within a new bound is told at once, wherever it stands. */
class ShorterPatienceTest {

    private final Timeline line = new Timeline();
    private final Throttle throttle = line.throttle(Strategies.none())
            .retryPolicy(RetryPolicy.builder()
                    .backoff((attempt, random) -> Duration.ofSeconds(8).toNanos())
                    .build())
            .build();

    private void refused(CallOptions options, String name) {
        Permit permit = Calls.of(throttle).newCall(options).acquireForced();
        assertThat(permit.complete(Signal.BUSY).isRetry()).isTrue();
        line.record(permit.acquireAgainAsync(), name);
    }

    @Test
    void whoRestsBehindOneWhoseBoundEndsBeforeIsToldToo() {
        refused(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(9)), "patient");
        line.advanceMillis(5_000);
        refused(CallOptions.DEFAULT, "hopeless");
        throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(7)));
        assertThat(line.events).containsExactly("hopeless rejected@5000");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("hopeless rejected@5000", "patient@8000");
    }

    @Test
    void nobodyIsTurnedAwayWhileBoundsStandStill() {
        refused(CallOptions.DEFAULT, "a");
        throttle.pauseUncounted();
        throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(7)));
        assertThat(line.events).isEmpty();
    }
}
