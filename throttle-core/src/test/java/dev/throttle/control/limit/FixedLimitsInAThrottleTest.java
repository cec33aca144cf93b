package dev.throttle.control.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fixed limits beside each other and beside an adaptive strategy. */
class FixedLimitsInAThrottleTest {

    private final VirtualTime time = new VirtualTime();
    private final long start = time.nanoTime();
    private final List<String> events = new ArrayList<>();

    private Throttle throttle(Strategy strategy, Strategy... limits) {
        var builder = Throttle.builder()
                .strategy(strategy)
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .listener(new ThrottleListener() {
                    @Override
                    public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
                        events.add((time.nanoTime() - start) / 1_000_000 + " " + reason);
                    }
                });
        for (Strategy limit : limits) {
            builder.limit(limit);
        }
        return builder.build();
    }

    private static CompletableFuture<Permit> ask(Throttle throttle, int permits) {
        return Calls.of(throttle).newCall(CallOptions.DEFAULT.permits(permits)).acquireAsync();
    }

    @Test
    void theLongestWaitWinsAndItsReasonIsReported() {
        Throttle throttle = throttle(
                Strategies.exponentialIncreaseGradualDecrease()
                        .startingSleep(Duration.ofMillis(300))
                        .jitter(0)
                        .build(),
                Strategies.tokenBucket().rate(2, Duration.ofSeconds(1)).burst(2).build(),
                Strategies.fixedWindow().limit(4).window(Duration.ofSeconds(5)).build());
        for (int i = 0; i < 5; i++) {
            ask(throttle, 1);
        }
        time.advance(Duration.ofSeconds(20));
        assertThat(events)
                .containsExactly(
                        "300 exponential-increase-gradual-decrease",
                        "300 exponential-increase-gradual-decrease",
                        "800 token-bucket",
                        "1300 token-bucket",
                        "5300 fixed-window");
    }

    @ParameterizedTest
    @ValueSource(strings = {"token-bucket", "fixed-window", "sliding-window-log", "sliding-window-counter"})
    void aRequestForMoreThanCanEverBeGrantedIsRefusedWhenItIsMade(String name) {
        Throttle throttle = throttle(Strategies.none(), Strategies.named(name));
        assertThatThrownBy(() -> Calls.of(throttle).newCall(CallOptions.DEFAULT.permits(11)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("requests of a call must be at most 10, as more than that the limits of the throttle never"
                        + " grant, but was 11");
        assertThat(ask(throttle, 10)).isCompleted();
    }

    @Test
    void aLeakyBucketSpacesRequestsAndTurnsAwayWhoFindsItsQueueFull() {
        Throttle throttle = throttle(Strategies.leakyBucket()
                .rate(10, Duration.ofSeconds(1))
                .queue(3)
                .build());
        List<CompletableFuture<Permit>> asked = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            asked.add(ask(throttle, 1));
        }
        assertThat(asked.get(4)).isCompletedExceptionally();
        assertThat(asked.get(5)).isCompletedExceptionally();
        assertThatThrownBy(asked.get(5)::join).cause().isInstanceOfSatisfying(ThrottleRejectedException.class, e -> {
            assertThat(e.reason()).isEqualTo("leaky-bucket");
            assertThat(e.neededWait()).isEqualTo(Duration.ofMillis(400));
            assertThat(e.allowedWait()).isEqualTo(Duration.ofMillis(300));
        });
        time.advance(Duration.ofMillis(100));
        assertThat(ask(throttle, 1)).isNotDone();
        assertThat(ask(throttle, 1)).isCompletedExceptionally();
        time.advance(Duration.ofSeconds(1));
        assertThat(events)
                .containsExactly("100 leaky-bucket", "200 leaky-bucket", "300 leaky-bucket", "400 leaky-bucket");
    }

    @Test
    void aRefusedCallKeepsItsPlaceHoweverFullTheLeakyBucketIs() {
        Throttle throttle = throttle(Strategies.leakyBucket().queue(0).build());
        Permit permit = ask(throttle, 1).join();
        assertThat(ask(throttle, 1)).isCompletedExceptionally();
        assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        CompletableFuture<Permit> retry = permit.acquireAgainAsync();
        time.advance(Duration.ofMillis(200)); // the backoff of a call that no adaptive strategy holds back
        assertThat(retry).isCompleted();
    }

    @Test
    void aPermitThatComesBackGoesToTheNextAtOnce() {
        Throttle throttle = throttle(
                Strategies.none(),
                Strategies.slidingWindowLog()
                        .limit(1)
                        .window(Duration.ofMinutes(1))
                        .build());
        Permit first = ask(throttle, 1).join();
        CompletableFuture<Permit> second = ask(throttle, 1);
        time.advance(Duration.ofMillis(1));
        assertThat(second).isNotDone();
        first.release();
        assertThat(second).isCompleted();
    }

    @Test
    void everyWayToTakeAPermitCounts() throws Exception {
        Throttle throttle =
                throttle(Strategies.none(), Strategies.fixedWindow().limit(4).build());
        assertThat(throttle.tryAcquire()).isNotNull();
        throttle.acquire().complete(Signal.SUCCESS);
        Calls.of(throttle).newCall().acquire().complete(Signal.SUCCESS);
        throttle.execute(() -> "sent");
        assertThat(throttle.tryAcquire()).isNull();
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(4);
        time.advance(Duration.ofSeconds(1));
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    /** Requests that an HTTP client repeats by itself are counted, and the limit is kept again as soon as it can be. */
    @ParameterizedTest
    @ValueSource(
            strings = {"token-bucket", "leaky-bucket", "fixed-window", "sliding-window-log", "sliding-window-counter"})
    void whatGoesWithoutAskingIsCountedAndWaitedOut(String name) {
        Throttle throttle = throttle(Strategies.none(), Strategies.named(name));
        for (int i = 0; i < 25; i++) {
            Calls.of(throttle).newCall().acquireForced().complete(Signal.SUCCESS);
        }
        CompletableFuture<Permit> next = ask(throttle, 1);
        time.advance(Duration.ofMillis(999));
        assertThat(next).isNotDone();
        time.advance(Duration.ofMillis(1601));
        assertThat(next).isCompleted();
    }

    /** What learns nothing from a quota refusal must not set the pace at which the refused call asks again. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "busy-rps", "leaky-bucket"})
    void aQuotaRefusalIsRepeatedWithABackoffWhereNobodyLearnsFromIt(String name) {
        Throttle throttle = throttle(
                Strategies.named(name), Strategies.tokenBucket().burst(1).build());
        assertThat(ask(throttle, 1).join().complete(Signal.RATE_LIMITED))
                .isInstanceOfSatisfying(
                        RetryDecision.Retry.class,
                        retry -> assertThat(retry.backoff()).isGreaterThanOrEqualTo(Duration.ofMillis(200)));
    }
}
