package dev.throttle;

import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Where a call waits for the end of others, what it has to wait for besides is known all the same, and told. */
class KnownWaitTest {

    private static final CallOptions AT_ONCE = CallOptions.DEFAULT.maxWait(Duration.ZERO);

    private final Timeline line = new Timeline();

    private Throttle full(Strategy strategy) {
        Throttle throttle = line.throttle(strategy)
                .limit(TestStrategies.atMostOnTheWire(1))
                .maxWait(Duration.ofSeconds(10))
                .build();
        Calls.of(throttle).newCall().acquireForced();
        return throttle;
    }

    private void closed(Throttle throttle) {
        Calls.of(throttle).newCall().acquireForced().end(retryAfter(Duration.ofMinutes(1)));
    }

    private static ThrottleRejectedException rejection(CompletableFuture<Permit> place) {
        assertThat(place).isDone();
        return Timeline.rejection(place);
    }

    @Test
    void aRefusedCallThatCannotOutwaitTheServersTimeIsNotRepeated() {
        Throttle throttle = full(Strategies.none());
        Permit refused = Calls.of(throttle).newCall().acquireForced();
        assertThat(refused.complete(retryAfter(Duration.ofMinutes(1)))).isEqualTo(StopReason.WAIT_TOO_LONG.decision());
    }

    @Test
    void aCallThatCannotOutwaitItsOwnSleepIsNotRepeated() {
        Throttle throttle = full(TestStrategies.sleep(Duration.ofSeconds(11)));
        Permit refused = Calls.of(throttle).newCall().acquireForced();
        assertThat(refused.complete(Signal.of(Outcome.RATE_LIMITED, RateHints.NONE)))
                .isEqualTo(StopReason.WAIT_TOO_LONG.decision());
    }

    @Test
    void whoMayNotWaitIsToldTheServersTime() {
        Throttle throttle = full(Strategies.none());
        closed(throttle);
        CompletableFuture<Permit> a = line.ask(Calls.of(throttle).newCall(AT_ONCE), "a");
        assertThat(rejection(a).neededWait()).isEqualTo(Duration.ofMinutes(1));
        assertThat(rejection(a).reason()).isEqualTo("retry-after");
    }

    @Test
    void whoWouldSleepForTooLongIsToldAtOnce() {
        Throttle throttle = full(TestStrategies.sleep(Duration.ofSeconds(11)));
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        assertThat(rejection(a).neededWait()).isEqualTo(Duration.ofSeconds(11));
        assertThat(rejection(a).reason()).isEqualTo("exponential-increase-proportional-remaining-decrease");
        assertThat(line.events).containsExactly("a rejected@0");
    }

    @Test
    void whoWouldWaitTooLongForAnotherLimitIsToldAtOnce() {
        Throttle throttle = full(TestStrategies.pace(Duration.ofSeconds(11)));
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        assertThat(rejection(a).neededWait()).isEqualTo(Duration.ofSeconds(11));
        assertThat(rejection(a).reason()).isEqualTo("pace");
        assertThat(line.events).containsExactly("a rejected@0");
    }

    @Test
    void whoIsTurnedAwayInTheLineIsToldWhatIsLeftOfAKnownWait() {
        Throttle throttle = full(TestStrategies.pace(Duration.ofSeconds(10)));
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        line.advanceMillis(9_000);
        closed(throttle); // takes from the pace, and may not wait so long any more
        assertThat(rejection(a).neededWait()).isEqualTo(Duration.ofSeconds(69));
        assertThat(line.events).containsExactly("a rejected@9000");
    }

    @Test
    void whoseTimeIsOverInTheLineIsToldWhatItWouldHaveNeeded() {
        Throttle throttle = full(TestStrategies.pace(Duration.ofSeconds(8)));
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        line.advanceMillis(5_000);
        Calls.of(throttle).newCall().acquireForced(); // the pace is due at 16 s now
        line.advanceMillis(5_000);
        assertThat(rejection(a).neededWait()).isEqualTo(Duration.ofSeconds(16));
        assertThat(rejection(a).reason()).isEqualTo("wire");
        assertThat(line.events).containsExactly("a rejected@10000");
    }

    @Test
    void aLongerWaitThatIsKnownIsForetold() {
        Throttle throttle = full(TestStrategies.pace(Duration.ofSeconds(7)));
        assertThat(throttle.estimateWait(CallOptions.DEFAULT).atLeast()).isEqualTo(Duration.ofSeconds(7));
        closed(throttle);
        assertThat(throttle.estimateWait(CallOptions.DEFAULT))
                .extracting(WaitEstimate::atLeast)
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void inAPauseWhoseBoundsStandStillAKnownWaitKeepsNobodyOut() {
        Throttle throttle =
                line.throttle(Strategies.none()).maxWait(Duration.ofSeconds(10)).build();
        throttle.pauseUncounted();
        ThrottledCall call = Calls.of(throttle).newCall();
        assertThat(call.acquireForced()
                        .complete(retryAfter(Duration.ofMinutes(1)))
                        .isRetry())
                .isTrue();
        line.ask(call, "again");
        line.ask(throttle, "a");
        line.advanceMillis(60_000);
        throttle.resume();
        assertThat(line.events).containsExactly("again@60000", "a@60000");
    }

    @Test
    void inAPauseWhoseBoundsCountAKnownWaitIsTold() {
        Throttle throttle =
                line.throttle(Strategies.none()).maxWait(Duration.ofSeconds(10)).build();
        throttle.pause();
        closed(throttle);
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        assertThat(rejection(a).reason()).isEqualTo("retry-after");
        assertThat(line.events).containsExactly("a rejected@0");
    }
}
