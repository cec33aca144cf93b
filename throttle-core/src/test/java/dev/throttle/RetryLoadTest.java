package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The budget at work. */
class RetryLoadTest {

    @Test
    void anOutageMakesLittleMoreLoadThanTheCallsThemselves() {
        Timeline line = new Timeline();
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        int attempts = 0;
        for (int call = 0; call < 1_000; call++) {
            ThrottledCall current = Calls.of(throttle).newCall();
            attempts++;
            while (current.acquireForced().complete(Signal.FAILED).isRetry()) {
                attempts++;
            }
            line.advanceMillis(5);
        }
        assertThat(attempts).isEqualTo(1_000 + 200 + 10);
    }

    @Test
    void quotaRefusalsAreNotCharged() {
        Timeline line = new Timeline();
        Throttle throttle = line.throttle(TestStrategies.free())
                .retryPolicy(RetryPolicy.builder().budget(0, 0).build())
                .maxWait(Duration.ofDays(1))
                .build();
        ThrottledCall call = Calls.of(throttle).newCall();
        for (int i = 0; i < 100; i++) {
            assertThat(call.acquireForced().complete(Signal.RATE_LIMITED).isRetry())
                    .isTrue();
        }
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(100);
    }
}
