package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.fixtures.OpenController;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a call knows of its attempts, however they were let go. */
class AttemptsTest {

    private final Timeline line = new Timeline();

    private Throttle atRest() {
        return line.throttle(TestStrategies.free()).build();
    }

    private Throttle tokens() {
        return line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket().unit("tokens").build())
                .build();
    }

    private static void assertLetGo(ThrottledCall call, int attempts, boolean isBooked) {
        assertThat(call.attempts()).isEqualTo(attempts);
        assertThat(call.permitId() != 0).isEqualTo(isBooked);
    }

    @Test
    void atRestNobodyHearsOfThemButTheyCount() throws Exception {
        ThrottledCall tried = Calls.of(atRest()).newCall();
        assertThat(tried.tryAcquire()).isNotNull();
        assertLetGo(tried, 1, false);
        ThrottledCall asked = Calls.of(atRest()).newCall();
        assertThat(asked.acquireAsync()).isCompleted();
        assertLetGo(asked, 1, false);
        ThrottledCall blocked = Calls.of(atRest()).newCall();
        assertThat(blocked.acquire()).isNotNull();
        assertLetGo(blocked, 1, false);
        ThrottledCall forced = Calls.of(atRest()).newCall();
        assertThat(forced.acquireForced()).isNotNull();
        assertLetGo(forced, 1, false);
    }

    @Test
    void whereALimitCountsItHearsOfEach() throws Exception {
        CallOptions options = CallOptions.DEFAULT.cost(Cost.of("tokens", 3));
        ThrottledCall tried = Calls.of(tokens()).newCall(options);
        assertThat(tried.tryAcquire()).isNotNull();
        assertLetGo(tried, 1, true);
        assertThat(tried.cost()).isEqualTo(Cost.of("tokens", 3));
        ThrottledCall asked = Calls.of(tokens()).newCall(options);
        assertThat(asked.acquireAsync()).isCompleted();
        assertLetGo(asked, 1, true);
        ThrottledCall blocked = Calls.of(tokens()).newCall(options);
        assertThat(blocked.acquire()).isNotNull();
        assertLetGo(blocked, 1, true);
        ThrottledCall forced = Calls.of(tokens()).newCall(options);
        assertThat(forced.acquireForced()).isNotNull();
        assertLetGo(forced, 1, true);
    }

    @Test
    void whatNobodyLetGoIsNone() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1)).build();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        ThrottledCall call = Calls.of(throttle).newCall();
        assertThat(call.tryAcquire()).isNull();
        assertThat(call.attempts()).isZero();
        CompletableFuture<Permit> waits = call.acquireAsync();
        assertThat(call.attempts()).isZero();
        line.advanceMillis(300);
        first.complete(Signal.SUCCESS);
        assertLetGo(call, 1, true);
        assertThat(call.waited()).isEqualTo(Duration.ofMillis(300));
        assertThat(waits.join().complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        line.advanceMillis(60_000);
        assertThat(call.tryAcquire()).isNotNull();
        assertThat(call.attempts()).isEqualTo(2);
    }

    @Test
    void aCallThatWasGivenUpTakesNothing() {
        Throttle throttle = atRest();
        ThrottledCall call = Calls.of(throttle).newCall();
        call.cancel();
        assertThat(call.acquireAsync()).isCompletedExceptionally();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aForcedAttemptThatTakesTheTurnOfOthersTellsThemAtOnce() {
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofSeconds(8)))
                .maxWait(Duration.ofSeconds(10))
                .build();
        assertThat(throttle.tryAcquire()).isNotNull();
        line.ask(throttle, "a");
        line.advanceMillis(5_000);
        assertThat(Calls.of(throttle).newCall().acquireForced()).isNotNull(); // the next may go at 16 s
        assertThat(line.events).containsExactly("a rejected@5000");
    }

    @Test
    void aForcedAttemptIsKnownByItsTime() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.slidingWindowLog()
                        .limit(1)
                        .window(Duration.ofMinutes(1))
                        .build())
                .build();
        line.advanceMillis(300);
        Permit forced = Calls.of(throttle).newCall().acquireForced();
        assertThat(throttle.tryAcquire()).isNull();
        line.advanceMillis(300);
        forced.release();
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void whatIsLearnedOfCostsHoldsForWhoeverAsksNext() {
        Throttle throttle = tokens();
        Permit first = throttle.acquireAsync().join();
        first.settle(Cost.of("tokens", 4));
        first.complete(Signal.SUCCESS);
        ThrottledCall call = Calls.of(throttle).newCall();
        assertThat(call.acquireAsync()).isCompleted();
        assertThat(call.cost()).isEqualTo(Cost.of("tokens", 4));
        line.advanceMillis(60_000);
        ThrottledCall tried = Calls.of(throttle).newCall();
        assertThat(tried.tryAcquire()).isNotNull();
        assertThat(tried.cost()).isEqualTo(Cost.of("tokens", 4));
        ThrottledCall forced = Calls.of(throttle).newCall();
        assertThat(forced.acquireForced()).isNotNull();
        assertThat(forced.cost()).isEqualTo(Cost.of("tokens", 4));
    }

    @Test
    void aForcedAttemptOfAKeyThatWasDroppedIsItsSuccessors() {
        ThrottleRegistry throttles = line.registry(Strategies.none()).maxKeys(1).build();
        Throttle dropped = throttles.get("a");
        Objects.requireNonNull(dropped.tryAcquire()).complete(Signal.SUCCESS);
        ThrottledCall call = Calls.of(dropped).newCall();
        for (int i = 0; i < 50; i++) {
            Objects.requireNonNull(throttles.get("other" + i).tryAcquire());
        }
        assertThat(dropped.isEvicted()).isTrue();
        Permit forced = call.acquireForced();
        assertThat(throttles.get("a").snapshot().inFlight()).isEqualTo(1);
        forced.complete(Signal.SUCCESS);
        assertThat(throttles.get("a").snapshot().inFlight()).isZero();
    }

    @Test
    void aForcedAttemptAtRestIsKnownByItsTimeToo() {
        List<Long> admitted = new ArrayList<>();
        Throttle throttle = line.throttle(TestStrategies.named("idle", () -> new OpenController() {
                    @Override
                    public boolean isIdle() {
                        return true;
                    }

                    @Override
                    public void onSignal(Signal signal, Load load, long now) {
                        admitted.add(load.admittedAtNanos());
                    }
                }))
                .build();
        line.advanceMillis(300);
        long sent = line.time.nanoTime();
        Permit forced = Calls.of(throttle).newCall().acquireForced();
        line.advanceMillis(300);
        forced.complete(Signal.BUSY);
        assertThat(admitted).containsExactly(sent);
    }

    @Test
    void aPermitThatWasTakenWithoutACallIsTheFirstAttempt() {
        Permit first = Objects.requireNonNull(line.throttle(TestStrategies.free())
                .retryPolicy(RetryPolicy.builder().maxAttempts(2).build())
                .build()
                .tryAcquire());
        assertThat(first.complete(Signal.BUSY).isRetry()).isTrue();
        CompletableFuture<Permit> second = first.acquireAgainAsync();
        line.advanceMillis(60_000);
        assertThat(second.join().complete(Signal.BUSY)).isEqualTo(StopReason.ATTEMPTS.decision());
    }

    @Test
    void howLongItHasWaitedIsKnownMeanwhile() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1)).build();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        ThrottledCall call = Calls.of(throttle).newCall();
        line.advanceMillis(100);
        assertThat(call.waiting()).isZero();
        CompletableFuture<Permit> waits = call.acquireAsync();
        line.advanceMillis(300);
        assertThat(call.waiting()).isEqualTo(Duration.ofMillis(300));
        first.complete(Signal.SUCCESS);
        waits.join().complete(Signal.SUCCESS);
        assertThat(call.waiting()).isZero();
    }
}
