package dev.throttle;

import static dev.throttle.Timeline.rejection;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.Retry;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Where a refused or failed call stands, and when it goes again. */
class RetryTimelineTest {

    private final Timeline line = new Timeline();

    /** Backoff of attempt n: n * 100 ms. */
    private final RetryPolicy steps = RetryPolicy.builder()
            .backoff((attempt, random) -> attempt * 100_000_000L)
            .rateLimitedFloor(Duration.ofMillis(1))
            .build();

    private Throttle throttle(Strategy strategy) {
        return line.throttle(strategy).retryPolicy(steps).build();
    }

    private Permit admitted(Throttle throttle) {
        return Calls.of(throttle).newCall().acquireAsync().join();
    }

    @Test
    void refusedCallsStandAtTheFrontInTheOrderTheyCame() {
        Throttle throttle = throttle(TestStrategies.pace(Duration.ofMillis(100)));
        List<ThrottledCall> calls = new ArrayList<>();
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(Calls.of(throttle).newCall());
            permits.add(calls.get(i).acquireForced());
            line.advanceMillis(1);
        }
        line.ask(throttle, "newcomer");
        for (int i : new int[] {2, 0, 1}) {
            assertThat(permits.get(i)
                            .complete(retryAfter(Duration.ofSeconds(1)))
                            .isRetry())
                    .isTrue();
            line.ask(calls.get(i), "retry" + i);
        }
        line.advanceMillis(5_000);
        assertThat(line.events).containsExactly("retry0@1003", "retry1@1103", "retry2@1203", "newcomer@1303");
    }

    @Test
    void aRefusalThatNoWaitCanMendIsAnAnswerAndSlowsNobodyDown() {
        for (Strategy strategy : List.of(
                Strategies.quotaPacing().build(), Strategies.responsiveBackoff().build())) {
            Throttle throttle = line.throttle(strategy).build();
            admitted(throttle).complete(Signal.SUCCESS);
            ThrottledCall call = Calls.of(throttle).newCall();
            RateHints hints =
                    new RateHints(Duration.ofHours(1), List.of(new Quota(null, 9L, 0L, Duration.ofHours(1), null)));
            RetryDecision decision = call.acquireAsync().join().complete(new Signal(Outcome.DENIED, hints));
            assertThat(decision).isEqualTo(StopReason.PERMANENT.decision());
            for (int i = 0; i < 20; i++) {
                assertThat(Calls.of(throttle).newCall().acquireAsync()).isDone();
            }
            ThrottleSnapshot snapshot = throttle.snapshot();
            assertThat(snapshot.blocked()).isZero();
            assertThat(snapshot.sleep()).isZero();
            assertThat(snapshot.outcomes()).containsEntry(Outcome.DENIED, 1L).containsEntry(Outcome.RATE_LIMITED, 0L);
            assertThat(snapshot.notRetried()).containsEntry(StopReason.PERMANENT, 1L);
        }
    }

    @Test
    void aServerThatWantsNoRepetitionIsHeardWithItsTime() {
        Throttle throttle = throttle(TestStrategies.pace(Duration.ofMillis(1)));
        RateHints hints = new RateHints(Duration.ofSeconds(3), List.of(), null, false);
        RetryDecision decision = admitted(throttle).complete(new Signal(Outcome.RATE_LIMITED, hints));
        assertThat(decision).isEqualTo(StopReason.PERMANENT.decision());
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void callsThatCameAtOnceAreRepeatedInTheOrderTheyAskAgain() {
        Throttle throttle = throttle(TestStrategies.pace(Duration.ofMillis(10)));
        for (int i = 0; i < 3; i++) {
            ThrottledCall call = Calls.of(throttle).newCall();
            call.acquireForced().complete(retryAfter(Duration.ofSeconds(1)));
            line.ask(call, "retry" + i);
        }
        line.advanceMillis(2_000);
        assertThat(line.events).containsExactly("retry0@1000", "retry1@1010", "retry2@1020");
    }

    @Test
    void aBackoffHoldsUpNobodyElse() {
        Throttle throttle = throttle(TestStrategies.atMostOnTheWire(5));
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit failed = call.acquireAsync().join();
        assertThat(failed.complete(Signal.FAILED)).isEqualTo(new Retry(Duration.ofMillis(100)));
        line.ask(call, "retry");
        line.advanceMillis(40);
        line.ask(throttle, "newcomer");
        assertThat(throttle.snapshot().waiting()).isEqualTo(1);
        line.advanceMillis(100);
        assertThat(line.events).containsExactly("newcomer@40", "retry@100");
        assertThat(call.waited()).isEqualTo(Duration.ofMillis(100));
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void eachBackoffEndsInItsOwnTime() {
        RetryPolicy shrinking = RetryPolicy.builder()
                .backoff((attempt, random) -> (long) (random * 1e9))
                .build();
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(5))
                .retryPolicy(shrinking)
                .build();
        for (int i = 0; i < 5; i++) {
            Permit permit = admitted(throttle);
            Retry retry = (Retry) permit.complete(Signal.BUSY);
            long nanos = retry.backoff().toNanos();
            CompletableFuture<Permit> again = permit.acquireAgainAsync();
            long start = line.time.nanoTime();
            again.thenRun(() -> line.events.add("" + (line.time.nanoTime() - start - nanos)));
        }
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("0", "0", "0", "0", "0");
    }

    @Test
    void aCallThatComesBackFromItsBackoffStandsAtTheFront() {
        Throttle throttle = throttle(TestStrategies.atMostOnTheWire(1));
        Permit first = admitted(throttle);
        first.complete(Signal.FAILED);
        line.record(first.acquireAgainAsync(), "retry");
        Permit second = admitted(throttle);
        line.ask(throttle, "newcomer");
        line.advanceMillis(200);
        second.complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("retry@200");
    }

    @Test
    void aCallInItsBackoffCanBeCancelled() {
        Throttle throttle = throttle(TestStrategies.free());
        Permit permit = admitted(throttle);
        permit.complete(Signal.FAILED);
        CompletableFuture<Permit> again = line.record(permit.acquireAgainAsync(), "retry");
        again.cancel(false);
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(line.time.scheduledTasks()).isZero();
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aRefusedCallIsNotTurnedAwayByAFullQueue() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .retryPolicy(steps)
                .maxWaiting(0)
                .build();
        Permit permit = admitted(throttle);
        assertThat(permit.complete(retryAfter(Duration.ofSeconds(1))).isRetry()).isTrue();
        line.record(permit.acquireAgainAsync(), "retry");
        CompletableFuture<Permit> newcomer = line.ask(throttle, "newcomer");
        assertThat(rejection(newcomer).reason()).isEqualTo("queue-full");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("newcomer rejected@0", "retry@1000");
    }

    @Test
    void allWaitsOfACallTogetherFitInItsBound() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .maxWait(Duration.ofSeconds(60))
                .build();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = call.acquireAsync().join();
        for (int i = 1; i <= 2; i++) {
            assertThat(permit.complete(retryAfter(Duration.ofSeconds(25)))).isEqualTo(Retry.WHEN_ADMITTED);
            CompletableFuture<Permit> again = call.acquireAsync();
            line.advanceMillis(25_000);
            assertThat(again).isDone();
            permit = again.join();
            assertThat(call.waited()).isEqualTo(Duration.ofSeconds(25L * i));
        }
        assertThat(permit.complete(retryAfter(Duration.ofSeconds(10)))).isEqualTo(Retry.WHEN_ADMITTED);
        permit = admittedAfter(call, 10_000);
        assertThat(call.attempts()).isEqualTo(4);
        assertThat(permit.complete(retryAfter(Duration.ofNanos(1)))).isEqualTo(StopReason.WAIT_TOO_LONG.decision());
    }

    private Permit admittedAfter(ThrottledCall call, long millis) {
        CompletableFuture<Permit> admission = call.acquireAsync();
        line.advanceMillis(millis);
        assertThat(admission).isDone();
        return admission.join();
    }

    @Test
    void aWaitThatDoesNotFitAnyMoreIsRefusedWithTheStatusOfTheLastAnswer() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        CallOptions options = CallOptions.DEFAULT.maxWait(Duration.ofSeconds(10));
        ThrottledCall call = Calls.of(throttle).newCall(options);
        Permit permit = call.acquireAsync().join();
        assertThat(permit.complete(Heads.status(429, "Retry-After", "5")).isRetry())
                .isTrue();
        Calls.of(throttle).newCall().acquireForced().complete(retryAfter(Duration.ofSeconds(30)));
        ThrottleRejectedException rejection = rejection(call.acquireAsync());
        assertThat(rejection.lastStatus()).isEqualTo(429);
        assertThat(rejection.neededWait()).isEqualTo(Duration.ofSeconds(30));
        assertThat(rejection).hasMessageContaining("the last answer was 429");
    }

    @Test
    void aRefusalOfAPermitTakenWithoutCallIsRepeatedOnItsCall() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        assertThat(permit.complete(retryAfter(Duration.ofSeconds(3))).isRetry()).isTrue();
        line.advanceMillis(1_000);
        line.record(permit.acquireAgainAsync(), "retry");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("retry@3000");
    }

    @Test
    void aCallThatWasAnsweredBeginsAnew() {
        Throttle throttle =
                line.throttle(TestStrategies.sleep(Duration.ofSeconds(2))).build();
        ThrottledCall call = Calls.of(throttle).newCall();
        admittedAfter(call, 2_000).complete(Signal.SUCCESS);
        line.advanceMillis(5_000);
        line.ask(call, "again");
        line.advanceMillis(5_000);
        assertThat(line.events).containsExactly("again@9000");
    }

    @Test
    void everyReasonToStopIsToldAndCounted() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .retryPolicy(RetryPolicy.builder().budget(0, 2).build())
                .build();
        CallOptions plain = CallOptions.DEFAULT;
        assertThat(end(throttle, plain, Signal.SUCCESS)).isEqualTo(StopReason.ANSWERED.decision());
        assertThat(end(throttle, plain, Signal.IGNORED)).isEqualTo(StopReason.ANSWERED.decision());
        assertThat(end(throttle, plain, Signal.CANCELLED)).isEqualTo(StopReason.CANCELLED.decision());
        assertThat(end(throttle, plain.replayable(false), Signal.RATE_LIMITED))
                .isEqualTo(StopReason.NOT_REPLAYABLE.decision());
        assertThat(end(throttle, plain.idempotent(false), Signal.BUSY)).isEqualTo(StopReason.NOT_IDEMPOTENT.decision());
        assertThat(end(throttle, plain.maxAttempts(1), Signal.FAILED)).isEqualTo(StopReason.ATTEMPTS.decision());
        assertThat(end(throttle, plain.maxWait(Duration.ofSeconds(9)), retryAfter(Duration.ofSeconds(10))))
                .isEqualTo(StopReason.WAIT_TOO_LONG.decision());
        assertThat(end(throttle, plain, Signal.FAILED).isRetry()).isTrue();
        assertThat(end(throttle, plain, Signal.FAILED).isRetry()).isTrue();
        assertThat(end(throttle, plain, Signal.FAILED)).isEqualTo(StopReason.BUDGET.decision());
        Throttle never = line.throttle(TestStrategies.free())
                .retryPolicy(RetryPolicy.none())
                .build();
        assertThat(end(never, plain, Signal.RATE_LIMITED)).isEqualTo(StopReason.DISABLED.decision());

        ThrottleSnapshot snapshot = throttle.snapshot();
        assertThat(snapshot.retried()).isEqualTo(2);
        assertThat(snapshot.notRetried())
                .containsEntry(StopReason.NOT_REPLAYABLE, 1L)
                .containsEntry(StopReason.NOT_IDEMPOTENT, 1L)
                .containsEntry(StopReason.ATTEMPTS, 1L)
                .containsEntry(StopReason.WAIT_TOO_LONG, 1L)
                .containsEntry(StopReason.BUDGET, 1L)
                .containsEntry(StopReason.DISABLED, 0L);
        assertThat(snapshot.outcomes())
                .containsEntry(Outcome.SUCCESS, 1L)
                .containsEntry(Outcome.IGNORED, 1L)
                .containsEntry(Outcome.CANCELLED, 1L)
                .containsEntry(Outcome.RATE_LIMITED, 2L)
                .containsEntry(Outcome.BUSY, 1L)
                .containsEntry(Outcome.FAILED, 4L);
    }

    private static RetryDecision end(Throttle throttle, CallOptions options, Signal signal) {
        return Calls.of(throttle).newCall(options).acquireForced().complete(signal);
    }

    @Test
    void aQuotaRefusalOfACallThatIsNotIdempotentIsRepeatedHoweverOften() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        ThrottledCall call = Calls.of(throttle).newCall(CallOptions.DEFAULT.idempotent(false));
        Permit permit = call.acquireAsync().join();
        for (int i = 0; i < 50; i++) {
            assertThat(permit.complete(retryAfter(Duration.ofSeconds(1))).isRetry())
                    .isTrue();
            permit = admittedAfter(call, 1_000);
        }
        assertThat(permit.complete(Signal.SUCCESS).isRetry()).isFalse();
    }

    @Test
    void aCallCancelledOnItsWayIsNotRepeated() {
        Throttle throttle = line.throttle(TestStrategies.free()).build();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = call.acquireAsync().join();
        call.cancel();
        assertThat(permit.complete(Signal.RATE_LIMITED)).isEqualTo(StopReason.CANCELLED.decision());
    }

    /** The sleep of a refused call is its own; everybody used to wait behind it. */
    @Test
    void aFirstAttemptDoesNotSleepBehindARefusedCall() {
        Throttle throttle = line.throttle(Strategies.exponentialBackoff()
                        .minSleep(Duration.ofSeconds(60))
                        .jitter(0)
                        .build())
                .build();
        Permit refused = throttle.acquireAsync().join();
        assertThat(refused.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        line.record(refused.acquireAgainAsync(), "retry");
        line.advanceMillis(10);
        line.ask(throttle, "first");
        line.advanceMillis(100_000);
        assertThat(line.events).containsExactly("first@10", "retry@60000");
    }

    /** How long it is until a signal nobody knows; that used to count as the longest wait there is. */
    @Test
    void whoOnlyWaitsForASignalIsRepeated() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .retryPolicy(
                        RetryPolicy.builder().backoff((attempt, random) -> 0).build())
                .maxWait(Duration.ofSeconds(10))
                .build();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit onTheWire = Calls.of(throttle).newCall().acquireForced();
        Permit failed = call.acquireForced();
        assertThat(failed.complete(Signal.FAILED).isRetry()).isTrue();
        line.ask(call, "retry");
        line.advanceMillis(100);
        onTheWire.complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("retry@100");
    }
}
