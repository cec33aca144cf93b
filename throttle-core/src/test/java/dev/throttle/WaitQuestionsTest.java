package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How long a call would wait, and why: asked without taking anything. */
class WaitQuestionsTest {

    private static final CallOptions ONE = CallOptions.DEFAULT;

    private final Timeline line = new Timeline();

    @Test
    void theEstimateIsTheWaitThatFollows() {
        Throttle throttle =
                line.throttle(TestStrategies.pace(Duration.ofSeconds(1))).build();
        assertThat(throttle.estimateWait(ONE).isAtOnce()).isTrue();
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(400);
        for (int i = 0; i < 10; i++) {
            assertThat(throttle.estimateWait(ONE))
                    .returns(Duration.ofMillis(1_600), WaitEstimate::atLeast)
                    .returns("pace", WaitEstimate::reason);
        }
        line.ask(throttle, "c");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "b@1000", "c@2000");
    }

    @Test
    void theCostCounts() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .rate(1, Duration.ofSeconds(1))
                        .burst(10)
                        .build())
                .build();
        line.ask(throttle, "a");
        assertThat(throttle.estimateWait(ONE.cost(Cost.of("requests", 9))).isAtOnce())
                .isTrue();
        assertThat(throttle.estimateWait(ONE.permits(10)))
                .returns(Duration.ofSeconds(1), WaitEstimate::atLeast)
                .returns("token-bucket", WaitEstimate::reason);
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void whatTheServerAskedForIsTold() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        throttle.observe(Timeline.retryAfter(Duration.ofSeconds(30)));
        line.advanceMillis(10_000);
        assertThat(throttle.estimateWait(ONE))
                .returns(Duration.ofSeconds(20), WaitEstimate::atLeast)
                .returns("retry-after", WaitEstimate::reason);
    }

    @Test
    void whereOnlyOthersCanTellTheEstimateIsZeroWithAReason() {
        Throttle throttle =
                line.throttle(TestStrategies.atMostOnTheWire(1)).maxWaiting(1).build();
        line.ask(throttle, "a");
        assertThat(throttle.estimateWait(ONE))
                .returns(Duration.ZERO, WaitEstimate::atLeast)
                .returns("wire", WaitEstimate::reason);
        line.ask(throttle, "b");
        assertThat(throttle.estimateWait(ONE).reason()).isEqualTo("queue-full");
        throttle.pause();
        assertThat(throttle.estimateWait(ONE).isAtOnce()).isFalse();
        throttle.close();
        assertThat(throttle.estimateWait(ONE))
                .returns(Duration.ZERO, WaitEstimate::atLeast)
                .returns("closed", WaitEstimate::reason);
    }

    @Test
    void aPauseIsAReason() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        throttle.pause();
        assertThat(throttle.estimateWait(ONE))
                .returns(Duration.ZERO, WaitEstimate::atLeast)
                .returns("paused", WaitEstimate::reason);
        throttle.drain();
        assertThat(throttle.estimateWait(ONE).reason()).isEqualTo("draining");
    }

    @Test
    void theExplanationIsASentence() {
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofSeconds(5)))
                .name("api")
                .build();
        assertThat(throttle.explainWait()).isEqualTo("api: no call is waiting, 0 requests are in flight");
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.ask(throttle, "c");
        line.advanceMillis(2_000);
        WaitEstimate why = throttle.estimateWait(CallOptions.DEFAULT);
        assertThat(why)
                .isEqualTo(new WaitEstimate(
                        "api",
                        ThrottleState.RUNNING,
                        2,
                        1,
                        Duration.ofSeconds(13),
                        "pace",
                        "pace",
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        null,
                        null,
                        null,
                        null));
        assertThat(why)
                .hasToString(
                        "api: 2 calls are waiting, the first for 2 s (pace) with at least 3 s to go; 1 request is in flight");
        throttle.pause();
        assertThat(throttle.explainWait())
                .isEqualTo("api (paused): 2 calls are waiting, the first for 2 s (paused) with an unknown time to go; "
                        + "1 request is in flight");
    }

    @Test
    void aClosedGateIsExplainedThoughNobodyWaits() {
        Throttle throttle = line.throttle(TestStrategies.free()).name("api").build();
        Permit permit = Calls.of(throttle).newCall().acquireForced();
        permit.complete(Heads.status(429), Timeline.retryAfter(Duration.ofHours(1)));
        line.advanceMillis(60_000);
        assertThat(throttle.estimateWait(ONE))
                .returns(429, WaitEstimate::lastStatus)
                .returns(Duration.ofMinutes(1), WaitEstimate::lastRefusedAgo);
        assertThat(throttle.explainWait())
                .isEqualTo("api: no call is waiting, 0 requests are in flight; "
                        + "a new call would wait at least 59 min (retry-after); the last answer was 429, 1 min ago");
    }

    @Test
    void aFullQueueRejects() {
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofSeconds(5)))
                .name("api")
                .maxWaiting(0)
                .build();
        line.ask(throttle, "a").join().end(Signal.SUCCESS);
        assertThat(throttle.explainWait())
                .isEqualTo("api: no call is waiting, 0 requests are in flight; "
                        + "a new call would be rejected (queue-full)");
    }
}
