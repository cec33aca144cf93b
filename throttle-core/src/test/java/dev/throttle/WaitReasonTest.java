package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What listeners are told that a caller waited for. */
class WaitReasonTest {

    private static final String SLEEP = "exponential-increase-proportional-remaining-decrease";

    private final VirtualTime time = new VirtualTime();
    private final List<String> waits = new ArrayList<>();

    private Throttle throttle(Duration startingSleep) {
        return Throttle.builder()
                .strategy(Strategies.exponentialIncreaseProportionalRemainingDecrease()
                        .startingSleep(startingSleep)
                        .jitter(0)
                        .build())
                .retryAfterJitter(0, Duration.ZERO)
                .time(time)
                .executor(Runnable::run)
                .listener(new ThrottleListener() {
                    @Override
                    public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
                        waits.add(wait.toSeconds() + " s for " + reason);
                    }
                })
                .build();
    }

    @Test
    void everybodyBehindAClosedGateWaitsForIt() throws Exception {
        Throttle throttle = throttle(Duration.ZERO);
        RateHints hints = new RateHints(Duration.ofSeconds(30), List.of());
        throttle.acquire().complete(new Signal(Outcome.RATE_LIMITED, hints));
        throttle.acquireAsync();
        time.advance(Duration.ofSeconds(10));
        throttle.acquireAsync();
        time.advance(Duration.ofSeconds(30));
        assertThat(waits).containsExactly("30 s for retry-after", "20 s for retry-after");
    }

    @Test
    void everySleeperWaitsForItsSleep() {
        Throttle throttle = throttle(Duration.ofSeconds(5));
        throttle.acquireAsync();
        throttle.acquireAsync();
        time.advance(Duration.ofSeconds(2));
        throttle.acquireAsync();
        time.advance(Duration.ofSeconds(5));
        assertThat(waits).containsExactly("5 s for " + SLEEP, "5 s for " + SLEEP, "5 s for " + SLEEP);
    }

    /** The strategy adds some spread, so its wait is the longer one. */
    @Test
    void aRetryAfterThatTheStrategyOnlyAddsToIsTheReason() {
        Throttle throttle = Throttle.builder()
                .retryAfterJitter(0, Duration.ZERO)
                .maxWait(Duration.ofMinutes(10))
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .listener(new ThrottleListener() {
                    @Override
                    public void onWaited(Source told, Priority priority, String reason, Duration wait) {
                        waits.add(reason);
                    }
                })
                .build();
        throttle.acquireAsync().join().complete(Timeline.retryAfter(Duration.ofSeconds(3)));
        throttle.acquireAsync();
        time.advance(Duration.ofSeconds(1));
        throttle.acquireAsync().cancel(true); // makes the throttle look at the head again
        time.advance(Duration.ofSeconds(60));
        assertThat(waits).containsExactly("retry-after");
        throttle.acquireAsync();
        time.advance(Duration.ofSeconds(60));
        Throttle other =
                Throttle.builder().time(time).executor(Runnable::run).seed(2).build();
        other.acquireAsync().join().complete(Timeline.retryAfter(Duration.ofHours(1)));
        assertThat(Timeline.rejection(other.acquireAsync()).reason()).isEqualTo("retry-after");
    }

    @Test
    void aFixedLimitThatIsLongerThanARetryAfterIsTheReason() {
        Timeline line = new Timeline();
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.leakyBucket().rate(1, Duration.ofSeconds(5)).build())
                .maxWait(Duration.ofSeconds(4))
                .build();
        throttle.acquireAsync().join().complete(Timeline.retryAfter(Duration.ofSeconds(3)));
        assertThat(Timeline.rejection(throttle.acquireAsync()).reason()).isEqualTo("leaky-bucket");
    }

    /** A sleep that is up to twice as long only adds to what the server named. */
    @Test
    void aSleepThatIsLongerThanARetryAfterIsTheReasonIfItIsMuchLonger() {
        assertThat(waitAfter(Duration.ofMillis(400)))
                .returns(Duration.ofMillis(800), WaitEstimate::atLeast)
                .returns("retry-after", WaitEstimate::reason);
        assertThat(waitAfter(Duration.ofMillis(399)))
                .returns(Duration.ofMillis(800), WaitEstimate::atLeast)
                .returns("linear-backoff", WaitEstimate::reason);
        assertThat(waitAfter(Duration.ofMillis(900)))
                .returns(Duration.ofMillis(900), WaitEstimate::atLeast)
                .returns("retry-after", WaitEstimate::reason);
    }

    private static WaitEstimate waitAfter(Duration retryAfter) {
        Throttle throttle = new Timeline()
                .throttle(Strategies.linearBackoff()
                        .interval(Duration.ofMillis(800))
                        .jitter(0)
                        .build())
                .build();
        Calls.of(throttle).newCall().acquireForced().complete(Timeline.retryAfter(retryAfter));
        return throttle.estimateWait(CallOptions.DEFAULT);
    }
}
