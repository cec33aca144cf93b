package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.ThrottledCall;
import dev.throttle.control.Strategies;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decisions foretold before the throttle has learned what they follow from. */
class ForetoldRetryTest {

    private final VirtualTime time = new VirtualTime();
    private final Throttle throttle = Throttle.builder()
            .strategy(Strategies.named("exponential-increase-proportional-remaining-decrease"))
            .time(time)
            .seed(1)
            .maxWait(Duration.ofMinutes(1))
            .retryAfterJitter(0, Duration.ZERO)
            .build();

    private static Signal throttled(Duration retryAfter) {
        return new Signal(Outcome.RATE_LIMITED, new RateHints(retryAfter, List.of()));
    }

    @Test
    void foretellingTeachesTheThrottleNothing() throws Exception {
        ThrottledCall call = throttle.newCall();
        Permit permit = call.acquire();
        ThrottleSnapshot before = throttle.snapshot();
        assertThat(call.previewRetry(Signal.RATE_LIMITED)).isTrue();
        assertThat(call.previewRetry(Signal.BUSY)).isTrue();
        assertThat(throttle.snapshot()).isEqualTo(before);
        assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
    }

    @Test
    void aWaitThatTheServerNamedIsForeseen() throws Exception {
        ThrottledCall call = throttle.newCall();
        Permit permit = call.acquire();
        for (int seconds : new int[] {60, 61}) {
            assertThat(call.previewRetry(throttled(Duration.ofSeconds(seconds))))
                    .isEqualTo(seconds == 60);
        }
        assertThat(permit.complete(throttled(Duration.ofSeconds(61))).isRetry()).isFalse();
    }

    @Test
    void attemptsAreForeseen() throws Exception {
        ThrottledCall call = throttle.newCall();
        for (int attempt = 1; attempt <= 3; attempt++) {
            Permit permit = call.acquireForced();
            boolean foretold = call.previewRetry(Signal.BUSY);
            assertThat(permit.complete(Signal.BUSY).isRetry())
                    .isEqualTo(foretold)
                    .isEqualTo(attempt < 3);
        }
    }

    @Test
    void theBudgetIsForeseen() {
        for (int i = 0; i < 30; i++) {
            ThrottledCall call = throttle.newCall();
            Permit permit = call.acquireForced();
            boolean foretold = call.previewRetry(Signal.FAILED);
            assertThat(permit.complete(Signal.FAILED).isRetry()).isEqualTo(foretold);
        }
        ThrottledCall late = throttle.newCall();
        late.acquireForced();
        assertThat(late.previewRetry(Signal.FAILED)).isFalse();
        assertThat(late.previewRetry(Signal.RATE_LIMITED)).isTrue();
    }

    @Test
    void whatIsNotRepeatedIsForeseen() throws Exception {
        ThrottledCall once = throttle.newCall(CallOptions.DEFAULT.replayable(false));
        once.acquire();
        assertThat(once.previewRetry(Signal.RATE_LIMITED)).isFalse();
        ThrottledCall call = throttle.newCall();
        call.acquire();
        assertThat(call.previewRetry(Signal.SUCCESS)).isFalse();
        call.cancel();
        assertThat(call.previewRetry(Signal.RATE_LIMITED)).isFalse();
    }

    @Test
    void readingAResponseTeachesTheThrottleNothing() {
        ThrottleSnapshot before = throttle.snapshot();
        Signal signal = throttle.read(new dev.throttle.signal.ResponseHead() {
            @Override
            public int status() {
                return 429;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {
                visitor.visit("Retry-After", "7");
            }
        });
        assertThat(signal.outcome()).isEqualTo(Outcome.RATE_LIMITED);
        assertThat(signal.hints().retryAfter()).isEqualTo(Duration.ofSeconds(7));
        assertThat(throttle.snapshot()).isEqualTo(before);
    }

    @Test
    void whatWasForetoldInVainIsLeftToOthers() {
        Throttle frugal = Throttle.builder()
                .strategy(Strategies.none())
                .time(time)
                .retryPolicy(RetryPolicy.builder().budget(0, 1).build())
                .build();
        ThrottledCall call = frugal.newCall();
        Permit permit = call.acquireForced();
        assertThat(call.previewRetry(Signal.BUSY)).isTrue();
        ThrottledCall other = frugal.newCall();
        Permit others = other.acquireForced();
        assertThat(other.previewRetry(Signal.BUSY)).isFalse();
        permit.complete(Signal.RATE_LIMITED); // repeated as well, but not from the budget
        assertThat(others.complete(Signal.BUSY).isRetry()).isTrue();
    }
}
