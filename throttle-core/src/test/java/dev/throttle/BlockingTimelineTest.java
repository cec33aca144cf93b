package dev.throttle;

import static dev.throttle.Timeline.remaining;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.Blocking.Caller;
import dev.throttle.client.Calls;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.fixtures.OtherTime;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Callers that block, alone and together with asynchronous ones. */
class BlockingTimelineTest {

    private final Timeline line = new Timeline();
    private final Blocking blocking = new Blocking();

    private Throttle throttle(Strategy strategy) {
        return line.throttle(strategy).listener(blocking).build();
    }

    private Caller ask(Throttle throttle) {
        return blocking.ask(throttle, throttle::acquire);
    }

    private static void awaitWaiting(Throttle throttle, int count) {
        Blocking.await(() -> throttle.snapshot().waiting() == count);
    }

    @Test
    void blockedThreadsLeaveInOrderAtTheControllersPace() {
        Throttle throttle = throttle(TestStrategies.pace(Duration.ofMillis(100)));
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            callers.add(ask(throttle));
        }
        for (int i = 1; i < 6; i++) {
            line.advanceMillis(99);
            assertThat(throttle.snapshot().waiting()).isEqualTo(6 - i);
            line.advanceMillis(1);
            awaitWaiting(throttle, 5 - i);
            callers.get(i).admission().join();
        }
        assertThat(blocking.waits).containsExactly(100L, 200L, 300L, 400L, 500L);
    }

    @Test
    void blockedAndAsynchronousCallersStandInOneQueue() {
        Throttle throttle = throttle(TestStrategies.pace(Duration.ofMillis(100)));
        ask(throttle);
        line.ask(throttle, "async1");
        Caller second = ask(throttle);
        line.ask(throttle, "async3");
        Caller fourth = ask(throttle);
        line.advanceMillis(100);
        line.advanceMillis(100);
        second.admission().join();
        line.advanceMillis(100);
        assertThat(fourth.admission()).isNotDone();
        line.advanceMillis(100);
        fourth.admission().join();
        assertThat(line.events).containsExactly("async1@100", "async3@300");
        assertThat(blocking.waits).containsExactlyInAnyOrder(100L, 200L, 300L, 400L);
    }

    @Test
    void anInterruptGivesThePlaceBackToTheNextAtOnce() {
        Throttle throttle = throttle(TestStrategies.atMostOnTheWire(1));
        Permit first = line.ask(throttle, "a").join();
        Caller second = ask(throttle);
        Caller third = ask(throttle);
        second.thread().interrupt();
        assertThat(second.failure()).isInstanceOf(InterruptedException.class);
        assertThat(throttle.snapshot().waiting()).isEqualTo(1);
        line.advanceMillis(5);
        first.complete(Signal.SUCCESS);
        third.admission().join().complete(Signal.SUCCESS);
        assertThat(blocking.waits).containsExactly(5L);
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().cancelledWaiting()).isEqualTo(1);
    }

    @Test
    void anInterruptedThreadTakesNoPermitEvenIfOneIsFree() {
        Throttle throttle = throttle(TestStrategies.sleep(Duration.ZERO));
        Thread.currentThread().interrupt();
        assertThatThrownBy(throttle::acquire).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        Thread.currentThread().interrupt();
        assertThatThrownBy(Calls.of(throttle).newCall()::acquire).isInstanceOf(InterruptedException.class);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }

    @Test
    void aCancelledCallWakesItsThread() {
        Throttle throttle = throttle(TestStrategies.atMostOnTheWire(1));
        line.ask(throttle, "a");
        ThrottledCall call = Calls.of(throttle).newCall();
        Caller caller = blocking.ask(throttle, call::acquire);
        call.cancel();
        assertThat(caller.failure()).isInstanceOf(CancellationException.class);
        assertThat(throttle.snapshot().waiting()).isZero();
        assertThatThrownBy(call::acquire).isInstanceOf(CancellationException.class);
        assertThat(call.acquireAsync()).isCancelled();
    }

    @Test
    void aDeadlineEndsABlockedWaitInTheMiddleOfTheQueue() {
        Throttle throttle = throttle(TestStrategies.atMostOnTheWire(1));
        line.ask(throttle, "a");
        Caller patient = ask(throttle);
        CallOptions hasty = CallOptions.DEFAULT.maxWait(Duration.ofMillis(30));
        Caller middle =
                blocking.ask(throttle, () -> Calls.of(throttle).newCall(hasty).acquire());
        line.advanceMillis(29);
        assertThat(throttle.snapshot().waiting()).isEqualTo(2);
        line.advanceMillis(1);
        assertThat(middle.failure())
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.neededWait()).isEqualTo(Duration.ofMillis(30)));
        assertThat(patient.admission()).isNotDone();
    }

    @Test
    void aRetryAfterMovesBlockedThreadsAndAFullBucketFreesThem() {
        Throttle throttle = throttle(TestStrategies.sleep(Duration.ofSeconds(2)));
        Permit one = Calls.of(throttle).newCall().acquireForced();
        Permit two = Calls.of(throttle).newCall().acquireForced();
        Caller waiting = ask(throttle);
        line.advanceMillis(1_000);
        assertThat(one.complete(retryAfter(Duration.ofSeconds(30))).isRetry()).isTrue();
        line.advanceMillis(29_999);
        assertThat(waiting.admission()).isNotDone();
        line.advanceMillis(1);
        waiting.admission().join();
        Caller sleeping = ask(throttle);
        line.advanceMillis(10);
        two.complete(remaining(4500));
        sleeping.admission().join();
        assertThat(blocking.waits).containsExactly(31_000L, 10L);
    }

    @Test
    void aHeadThatARetryHasOvertakenParksInsteadOfSpinning() {
        CountingTime time = new CountingTime(line.time);
        Throttle throttle = line.throttle(TestStrategies.sleep(Duration.ofSeconds(1)))
                .time(time)
                .build();
        ThrottledCall refused = Calls.of(throttle).newCall();
        Permit first = refused.acquireForced();
        Caller overtaken = ask(throttle);
        line.advanceMillis(900);
        assertThat(first.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        CompletableFuture<Permit> retry = line.ask(refused, "retry");
        line.advanceMillis(100);
        time.looks.set(0);
        line.advanceMillis(1_260);
        Blocking.await(() -> line.time.scheduledTasks() == 2); // the retry's timer, and the head parked again
        assertThat(time.looks.get()).isLessThan(10);
        assertThat(overtaken.admission()).isNotDone();
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("retry@2700");
        overtaken.admission().join();
        assertThat(retry).isDone();
    }

    @Test
    void aHeadWhoseThreadOversleepsHoldsNobodyUp() throws Exception {
        AtomicReference<Thread> sleeper = new AtomicReference<>();
        Throttle throttle = line.throttle(TestStrategies.pace(Duration.ofMillis(100)))
                .listener(blocking)
                .time(new Oversleeping(line.time, sleeper))
                .build();
        ask(throttle);
        Caller late = blocking.ask(throttle, () -> {
            sleeper.set(Thread.currentThread());
            return throttle.acquire();
        });
        Caller punctual = ask(throttle);
        Blocking.await(() -> line.time.scheduledTasks() == 1);
        line.advanceMillis(199);
        assertThat(throttle.snapshot().waiting()).isEqualTo(2);
        line.advanceMillis(1);
        late.admission().get(10, TimeUnit.SECONDS);
        awaitWaiting(throttle, 1);
        line.advanceMillis(100);
        punctual.admission().get(10, TimeUnit.SECONDS);
        assertThat(blocking.waits).containsExactly(200L, 300L);
    }

    @Test
    void theThreadsOfTheSystemsTimeAreWokenWithoutTimer() throws Exception {
        Throttle throttle = Throttle.builder()
                .strategy(TestStrategies.pace(Duration.ofMillis(5)))
                .build();
        List<Caller> callers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            callers.add(blocking.ask(throttle, throttle::acquire));
        }
        for (Caller caller : callers) {
            caller.admission().get(10, TimeUnit.SECONDS).complete(Signal.SUCCESS);
        }
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    /** Counts how often somebody looks at the clock. */
    private static final class CountingTime extends OtherTime {

        final AtomicInteger looks = new AtomicInteger();

        CountingTime(TimeSource time) {
            super(time);
        }

        @Override
        public long nanoTime() {
            looks.incrementAndGet();
            return super.nanoTime();
        }
    }

    /** One thread's parks are never ended by the time. */
    private static final class Oversleeping extends OtherTime {

        private final AtomicReference<Thread> sleeper;

        Oversleeping(TimeSource time, AtomicReference<Thread> sleeper) {
            super(time);
            this.sleeper = sleeper;
        }

        @Override
        public void parkUntil(Object blocker, long instant) {
            if (Thread.currentThread().equals(sleeper.get())) {
                LockSupport.park(blocker);
            } else {
                super.parkUntil(blocker, instant);
            }
        }
    }
}
