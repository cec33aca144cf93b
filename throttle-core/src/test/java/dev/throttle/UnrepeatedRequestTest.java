package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Permits that end without asking whether the request is repeated. */
class UnrepeatedRequestTest {

    private final Throttle throttle = Throttle.builder()
            .strategy(Strategies.named("exponential-increase-proportional-remaining-decrease"))
            .time(new VirtualTime())
            .seed(1)
            .build();

    @Test
    void theThrottleLearnsFromARefusalAndDecidesNothing() throws Exception {
        throttle.acquire().end(Signal.RATE_LIMITED);
        ThrottleSnapshot snapshot = throttle.snapshot();
        assertThat(snapshot.sleep()).isEqualTo(Duration.ofMillis(960)); // 0.8 s, times 1.2
        assertThat(snapshot.outcomes()).containsEntry(Outcome.RATE_LIMITED, 1L);
        assertThat(snapshot.inFlight()).isZero();
        assertThat(snapshot.retried()).isZero();
        assertThat(snapshot.notRetried().values()).containsOnly(0L);
    }

    @Test
    void aFaultIsCountedOnce() throws Exception {
        Permit permit = throttle.acquire();
        permit.end(Signal.FAILED);
        permit.end(Signal.FAILED);
        permit.release();
        assertThat(throttle.count(Outcome.FAILED)).isEqualTo(1);
        assertThat(throttle.count(Outcome.IGNORED)).isZero();
        assertThatThrownBy(() -> permit.complete(Signal.SUCCESS)).isInstanceOf(IllegalStateException.class);
    }
}
