package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Throttles that are paused, resumed, drained and closed, to the nanosecond. */
class PauseTimelineTest {

    private final Timeline line = new Timeline();
    private final List<ThrottleState> told = new ArrayList<>();
    private Throttle paused = line.throttle(TestStrategies.free()).build();

    private final ThrottleListener listener = new ThrottleListener() {
        @Override
        public void onStateChanged(Source throttle, ThrottleState state) {
            told.add(state);
        }
    };

    private Throttle free() {
        return line.throttle(TestStrategies.free()).listener(listener).build();
    }

    private static String reason(CompletableFuture<Permit> place) {
        return Timeline.rejection(place).reason();
    }

    @Test
    void whoWaitsInAPauseKeepsItsPlace() {
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofSeconds(1)))
                .listener(listener)
                .build();
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(500);
        throttle.pause();
        line.ask(throttle, "c");
        assertThat(throttle.tryAcquire()).isNull();
        line.advanceMillis(10_000);
        assertThat(throttle.snapshot().state()).isEqualTo(ThrottleState.PAUSED);
        assertThat(throttle.snapshot().waiting()).isEqualTo(2);
        throttle.resume();
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "b@10500", "c@11500");
        assertThat(told).containsExactly(ThrottleState.PAUSED, ThrottleState.RUNNING);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aThrottleAtRestIsPausedAtOnceAndCostsNothingAfterwards() {
        Throttle throttle = free();
        throttle.pause();
        CompletableFuture<Permit> place = line.ask(throttle, "a");
        assertThat(place).isNotDone();
        assertThat(throttle.snapshot().waiting()).isOne();
        throttle.resume();
        assertThat(place).isCompleted();
        assertThat(throttle.tryAcquire()).isNotNull();
        throttle.pause();
        throttle.pauseUncounted();
        throttle.resume();
        throttle.resume();
        assertThat(told)
                .containsExactly(
                        ThrottleState.PAUSED, ThrottleState.RUNNING, ThrottleState.PAUSED, ThrottleState.RUNNING);
    }

    @Test
    void aPauseIsWhatACallerWithoutPatienceIsTurnedAwayFor() {
        Throttle throttle = free();
        throttle.pause();
        CallOptions atOnce = CallOptions.DEFAULT.maxWait(Duration.ZERO);
        CompletableFuture<Permit> place = line.ask(Calls.of(throttle).newCall(atOnce), "a");
        assertThat(reason(place)).isEqualTo("paused");
        assertThat(line.events).containsExactly("a rejected@0");
    }

    @Test
    void boundsCountInAPause() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .maxWait(Duration.ofSeconds(5))
                .build();
        line.ask(throttle, "a");
        CompletableFuture<Permit> first = line.ask(throttle, "b"); // waits for the end of a
        line.advanceMillis(1_000);
        throttle.pause();
        CompletableFuture<Permit> second = line.ask(throttle, "c");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "b rejected@5000", "c rejected@6000");
        assertThat(List.of(reason(first), reason(second))).containsOnly("paused");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void whoTriesWhenTheLastOneWhoWaitedIsTurnedAwayTellsThatAllIsQuiet() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(new ThrottleListener() {
                    @Override
                    public void onIdle(Source source) {
                        line.add("idle");
                    }
                })
                .maxWait(Duration.ofSeconds(5))
                .build();
        line.time.schedule(5_000_000_000L, throttle::tryAcquire); // ahead of the throttle's own timer
        throttle.pause();
        line.ask(throttle, "a");
        line.advanceMillis(6_000);
        assertThat(line.events).containsExactly("a rejected@5000", "idle@5000");
    }

    @Test
    void boundsStandStillIfAsked() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .maxWait(Duration.ofSeconds(5))
                .build();
        CompletableFuture<Permit> holder = line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(1_000);
        throttle.pauseUncounted();
        line.advanceMillis(3_000);
        line.ask(throttle, "c");
        line.advanceMillis(96_000);
        assertThat(line.events).containsExactly("a@0");
        throttle.resume(); // at 100 s: b has 4 s left, c has 5
        line.advanceMillis(4_500);
        holder.join().complete(Signal.SUCCESS);
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@0", "b rejected@104000", "c@104500");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aPauseThatDoesNotCountDoesNotShortenLaterWaits() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .maxWait(Duration.ofSeconds(5))
                .build();
        throttle.pauseUncounted();
        ThrottledCall call = Calls.of(throttle).newCall();
        CompletableFuture<Permit> first = line.ask(call, "a");
        line.advanceMillis(60_000);
        throttle.resume();
        assertThat(first.join()
                        .complete(Timeline.retryAfter(Duration.ofSeconds(5)))
                        .isRetry())
                .isTrue();
        line.ask(call, "again");
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a@60000", "again@65000");
    }

    @Test
    void aPauseWhoseBoundsCountFollowsOneWhoseBoundsStandStill() {
        Throttle throttle = line.throttle(TestStrategies.free())
                .maxWait(Duration.ofSeconds(5))
                .build();
        throttle.pauseUncounted();
        line.ask(throttle, "a");
        line.advanceMillis(7_000);
        throttle.pause();
        line.advanceMillis(10_000);
        assertThat(line.events).containsExactly("a rejected@12000");
    }

    @Test
    void blockingCallersWaitOutAPauseThatDoesNotCount() throws Exception {
        Blocking blocking = new Blocking();
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(blocking)
                .maxWait(Duration.ofSeconds(5))
                .build();
        throttle.pauseUncounted();
        Blocking.Caller one = blocking.ask(throttle, throttle::acquire);
        Blocking.Caller two = blocking.ask(throttle, throttle::acquire);
        line.advanceMillis(60_000);
        throttle.resume();
        one.admission().get().complete(Signal.SUCCESS);
        two.admission().get().complete(Signal.SUCCESS);
        assertThat(blocking.waits).containsExactly(60_000L, 60_000L);
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void blockingCallersAreTurnedAwayInAPauseThatCounts() {
        Blocking blocking = new Blocking();
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(blocking)
                .maxWait(Duration.ofSeconds(5))
                .build();
        throttle.pause();
        Blocking.Caller caller = blocking.ask(throttle, throttle::acquire);
        line.advanceMillis(5_000);
        assertThat(caller.failure())
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo("paused"));
    }

    /** A call that rests for 900 ms before it tries again, of which it may wait only 500. */
    private ThrottledCall resting(ThrottleListener hears) {
        Throttle throttle = line.throttle(TestStrategies.free())
                .listener(hears)
                .retryPolicy(RetryPolicy.builder()
                        .backoff((attempt, random) -> 900_000_000)
                        .build())
                .build();
        ThrottledCall call = Calls.of(throttle).newCall();
        assertThat(line.ask(call, "a").join().complete(Signal.FAILED).isRetry()).isTrue();
        call.updateOptions(CallOptions.DEFAULT.maxWait(Duration.ofMillis(500)));
        paused = throttle;
        throttle.pauseUncounted();
        return call;
    }

    @Test
    void aBlockedRetryThatRestsIsTurnedAwayWhenItsBoundEnds() {
        Blocking blocking = new Blocking();
        ThrottledCall call = resting(blocking);
        Blocking.Caller caller = blocking.ask(paused, call::acquire);
        line.advanceMillis(100);
        paused.pause(); // it has 500 ms left, and its rest 800
        Blocking.await(caller.admission()::isDone);
        assertThat(caller.failure())
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.neededWait()).isEqualTo(Duration.ofMillis(900)));
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aRetryThatRestsIsTurnedAwayWhenItsBoundEnds() {
        ThrottledCall call = resting(listener);
        CompletableFuture<Permit> again = line.ask(call, "again");
        line.advanceMillis(100);
        paused.resume();
        assertThat(line.events).containsExactly("a@0", "again rejected@100");
        assertThat(reason(again)).isEqualTo("backoff");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void whatIsOnTheWireEndsInAPauseAndItsRetryWaits() {
        Throttle throttle = free();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = line.ask(call, "a").join();
        throttle.pause();
        assertThat(permit.complete(Timeline.retryAfter(Duration.ofSeconds(2))).isRetry())
                .isTrue();
        line.ask(call, "again");
        line.ask(throttle, "b");
        line.advanceMillis(10_000);
        throttle.resume();
        assertThat(line.events).containsExactly("a@0", "again@10000", "b@10000");
    }

    @Test
    void aDrainLetsThoseGoWhoWaitAndTheirRetries() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .listener(listener)
                .build();
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        ThrottledCall call = Calls.of(throttle).newCall();
        CompletableFuture<Permit> b = line.ask(call, "b");
        CompletableFuture<Void> drained = throttle.drain();
        drained.whenComplete((nothing, failure) -> line.add("drained"));
        CompletableFuture<Permit> late = line.ask(throttle, "late");
        assertThat(reason(late)).isEqualTo("draining");
        assertThat(throttle.tryAcquire()).isNull();
        line.advanceMillis(1_000);
        a.join().complete(Signal.SUCCESS);
        line.advanceMillis(1_000);
        assertThat(b.join().complete(Timeline.retryAfter(Duration.ofSeconds(3))).isRetry())
                .isTrue();
        CompletableFuture<Permit> again = line.ask(call, "again");
        line.advanceMillis(5_000);
        again.join().complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("a@0", "late rejected@0", "b@1000", "again@5000", "drained@7000");
        assertThat(drained).isCompleted();
        assertThat(told).containsExactly(ThrottleState.DRAINING);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void whatIsLetGoAndGivenBackMayAskAgainWhileOthersDrain() {
        Throttle throttle = free();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = line.ask(call, "a").join();
        CompletableFuture<Void> drained = throttle.drain();
        CompletableFuture<Permit> other = line.ask(throttle, "b");
        Permit forced = Calls.of(throttle).newCall().acquireForced();
        permit.release();
        Permit again = line.ask(call, "again").join();
        forced.complete(Signal.SUCCESS);
        assertThat(drained).isNotDone();
        again.complete(Signal.SUCCESS);
        assertThat(drained).isCompleted();
        assertThat(reason(other)).isEqualTo("draining");
    }

    @Test
    void aDrainDoesNotWaitForEverForACallThatDoesNotTryAgain() {
        Throttle throttle = free();
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        CompletableFuture<Void> drained = throttle.drain();
        assertThat(permit.complete(Timeline.retryAfter(Duration.ofMillis(10))).isRetry())
                .isTrue();
        line.advanceMillis(999);
        assertThat(drained).isNotDone();
        line.advanceMillis(1);
        assertThat(drained).isCompleted();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aDrainOfAnIdleThrottleIsOverAtOnceAndCanBeTakenBack() {
        Throttle throttle = free();
        assertThat(throttle.drain()).isCompleted();
        throttle.resume();
        Permit permit = throttle.tryAcquire();
        assertThat(permit).isNotNull();
        CompletableFuture<Void> drained = throttle.drain();
        throttle.resume();
        assertThat(drained).isCancelled();
        permit.complete(Signal.SUCCESS);
        assertThat(line.ask(throttle, "a")).isCompleted();
    }

    @Test
    void everybodyIsToldWhenItIsClosed() {
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .listener(listener)
                .build();
        CompletableFuture<Permit> a = line.ask(throttle, "a");
        CompletableFuture<Permit> b = line.ask(throttle, "b");
        line.advanceMillis(10);
        throttle.close();
        CompletableFuture<Permit> c = line.ask(throttle, "c");
        assertThat(reason(b)).isEqualTo("closed");
        assertThat(Timeline.rejection(b).neededWait()).isEqualTo(Duration.ofMillis(10));
        assertThat(Timeline.rejection(c)).hasMessageEndingWith("the throttle is closed");
        CompletableFuture<Void> drained = throttle.drain();
        assertThat(drained).isNotDone();
        assertThat(a.join().complete(Timeline.retryAfter(Duration.ofSeconds(1))))
                .isEqualTo(StopReason.CLOSED.decision());
        assertThat(drained).isCompleted();
        throttle.close();
        throttle.resume();
        throttle.pause();
        assertThat(throttle.snapshot().state()).isEqualTo(ThrottleState.CLOSED);
        assertThat(throttle.snapshot().rejected()).isEqualTo(2);
        assertThat(throttle.snapshot().notRetried()).containsEntry(StopReason.CLOSED, 1L);
        assertThat(line.events).containsExactly("a@0", "b rejected@10", "c rejected@10");
        assertThat(told).containsExactly(ThrottleState.CLOSED);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void callsThatRestBetweenTheirAttemptsAreToldToo() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = line.ask(call, "a").join();
        assertThat(permit.complete(new Signal(Outcome.BUSY, RateHints.NONE)).isRetry())
                .isTrue();
        CompletableFuture<Permit> again = line.ask(call, "again");
        throttle.close();
        assertThat(reason(again)).isEqualTo("closed");
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aBlockingCallerIsToldWhenItIsClosed() {
        Blocking blocking = new Blocking();
        Throttle throttle = free();
        throttle.pauseUncounted();
        Blocking.Caller caller = blocking.ask(throttle, throttle::acquire);
        throttle.close();
        assertThat(caller.failure())
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.reason()).isEqualTo("closed"));
    }

    @Test
    void allKeysOfASetPauseThoseToComeIncluded() {
        ThrottleRegistry throttles =
                line.registry(TestStrategies.free()).listener(listener).build();
        line.ask(throttles.get("there"), "there").join();
        throttles.pause();
        line.ask(throttles.get("there"), "again");
        line.ask(throttles.get("new"), "new");
        assertThat(throttles.get("new").snapshot().state()).isEqualTo(ThrottleState.PAUSED);
        throttles.get("there").pause();
        line.advanceMillis(100);
        throttles.resume();
        line.advanceMillis(100);
        throttles.get("there").resume();
        assertThat(line.events).containsExactly("there@0", "new@100", "again@200");
        assertThat(told).containsExactly(ThrottleState.PAUSED, ThrottleState.RUNNING, ThrottleState.RUNNING);
    }

    @Test
    void aSetDrainsAndCloses() {
        ThrottleRegistry throttles = line.registry(TestStrategies.free()).build();
        Permit a = line.ask(throttles.get("a"), "a").join();
        Permit b = line.ask(throttles.get("b"), "b").join();
        CompletableFuture<Void> drained = throttles.drain();
        assertThat(reason(line.ask(throttles.get("c"), "c"))).isEqualTo("draining");
        a.complete(Signal.SUCCESS);
        assertThat(drained).isNotDone();
        b.complete(Signal.SUCCESS);
        assertThat(drained).isCompleted();
        throttles.close();
        throttles.resume();
        assertThat(reason(line.ask(throttles.get("d"), "d"))).isEqualTo("closed");
        assertThat(reason(line.ask(throttles.get("a"), "a"))).isEqualTo("closed");
    }

    /** Longer than a key that nobody asks for is kept. */
    @Test
    void aSetThatWasPausedForLongLetsEverybodyGo() {
        ThrottleRegistry throttles =
                line.registry(Strategies.none()).idleExpiry(Duration.ofHours(1)).build();
        throttles.pauseUncounted();
        CompletableFuture<Permit> waits = throttles.get("k").acquireAsync();
        line.time.advance(Duration.ofHours(2));
        assertThat(throttles.all()).hasSize(1);
        assertThat(throttles.getIfPresent("k")).isNotNull();
        throttles.resume();
        assertThat(waits).isCompleted();
        waits.join().complete(Signal.SUCCESS);
    }

    @Test
    void aSetDrainsForAsLongAsARequestIsOnTheWire() {
        ThrottleRegistry throttles =
                line.registry(Strategies.none()).idleExpiry(Duration.ofHours(1)).build();
        Permit permit = throttles.get("k").tryAcquire();
        line.time.advance(Duration.ofHours(2));
        CompletableFuture<Void> quiet = throttles.drain();
        assertThat(quiet).isNotDone();
        permit.complete(Signal.SUCCESS);
        assertThat(quiet).isCompleted();
    }

    @Test
    void aKeyThatIsPausedIsNotForgotten() {
        ThrottleRegistry throttles =
                line.registry(TestStrategies.free()).maxKeys(1).build();
        Throttle paused = throttles.get("paused");
        Calls.of(paused).newCall().acquireForced().complete(Signal.SUCCESS);
        paused.pause();
        line.advanceMillis(Duration.ofHours(2).toMillis());
        for (int i = 0; i < 50; i++) {
            throttles.get("other" + i).tryAcquire();
        }
        assertThat(throttles.get("paused")).isSameAs(paused);
        assertThat(throttles.get("paused").tryAcquire()).isNull();
        paused.resume();
        for (int i = 50; i < 100; i++) {
            throttles.get("other" + i).tryAcquire();
        }
        assertThat(paused.isEvicted()).isTrue();
        paused.pause();
        assertThat(throttles.get("paused").snapshot().state()).isEqualTo(ThrottleState.PAUSED);
    }
}
