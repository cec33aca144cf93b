package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A call that is given up at an awkward moment takes nothing with it: no permit, no place, no pass of a guard. */
class CancelledMeanwhileTest {

    private final Timeline line = new Timeline();
    private final List<String> told = new ArrayList<>();
    private Runnable whenGuardIsAsked = () -> {};
    private Runnable whenToldToWait = () -> {};
    private Runnable whenToldThatItGoes = () -> {};

    /** Runs what a test wants to happen in the middle. */
    private final class Meanwhile implements AdmissionGuard, AdmissionGuard.Pass, ThrottleListener {

        @Override
        public String name() {
            return "meanwhile";
        }

        @Override
        public Pass tryEnter() {
            told.add("enter");
            whenGuardIsAsked.run();
            return this;
        }

        @Override
        public void onEnd(Signal signal, Duration duration) {}

        @Override
        public void onLeft() {
            told.add("left");
        }

        @Override
        public void onWaiting(Source source, Priority priority, String reason, Duration atLeast) {
            whenToldToWait.run();
        }

        @Override
        public WaitObserver onWaitStart(Source source, Priority priority, String reason, Duration atLeast) {
            return (why, wait, failure) -> told.add("waited " + wait.toMillis() + " " + mark(failure));
        }

        @Override
        public void onWaited(Source source, Priority priority, String reason, Duration wait) {
            whenToldThatItGoes.run();
        }
    }

    private static String mark(@Nullable Throwable failure) {
        return failure == null ? "to go" : failure.getClass().getSimpleName();
    }

    private Throttle throttle(Strategy strategy) {
        Meanwhile meanwhile = new Meanwhile();
        return line.throttle(strategy).guard(meanwhile).listener(meanwhile).build();
    }

    private Throttle oneAtATime() {
        return throttle(TestStrategies.atMostOnTheWire(1));
    }

    /** As if nobody had ever asked. */
    private void assertUntouched(Throttle throttle) {
        assertThat(told.stream().filter("left"::equals))
                .hasSameSizeAs(told.stream().filter("enter"::equals).toList());
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    /** Once with a thread that waits, and once without. */
    private void giveUpWhenTheGuardIsAsked(Throttle throttle) {
        ThrottledCall call = Calls.of(throttle).newCall();
        whenGuardIsAsked = call::cancel;
        assertThatThrownBy(call::acquire).isInstanceOf(CancellationException.class);
        ThrottledCall asynchronous = Calls.of(throttle).newCall();
        whenGuardIsAsked = asynchronous::cancel;
        assertThat(asynchronous.acquireAsync()).isCancelled();
    }

    /** Just before this happens, the call was told that it has to wait. */
    private void giveUpRightAfter(Throttle throttle, Runnable event) {
        ThrottledCall call = Calls.of(throttle).newCall();
        whenToldToWait = () -> {
            event.run();
            call.cancel();
        };
        assertThatThrownBy(call::acquire).isInstanceOf(CancellationException.class);
    }

    @Test
    void whoIsLetGoAtRestGivesThePermitBack() {
        Throttle throttle = throttle(TestStrategies.free());
        ThrottledCall call = Calls.of(throttle).newCall();
        whenGuardIsAsked = call::cancel;
        assertThatThrownBy(call::acquire).isInstanceOf(CancellationException.class);
        assertUntouched(throttle);
    }

    @Test
    void whoIsLetGoWithoutAWaitGivesThePermitBack() {
        Throttle throttle = oneAtATime();
        for (int i = 0; i < 2; i++) {
            giveUpWhenTheGuardIsAsked(throttle);
        }
        assertUntouched(throttle);
    }

    @Test
    void whoWouldHaveToWaitDoesNotBegin() {
        Throttle throttle = oneAtATime();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        giveUpWhenTheGuardIsAsked(throttle);
        first.release();
        assertUntouched(throttle);
    }

    /** Its turn comes before its thread has begun to wait, and at that moment it is given up. */
    @Test
    void whoseTurnHasComeGivesThePermitBack() {
        Throttle throttle = oneAtATime();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        giveUpRightAfter(throttle, first::release);
        assertUntouched(throttle);
    }

    @Test
    void whoIsTurnedAwayAtThatMomentLeavesTheGuard() {
        Throttle throttle = oneAtATime();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        giveUpRightAfter(throttle, throttle::close);
        first.release();
        assertUntouched(throttle);
    }

    @Test
    void whoHasNotBeenToldYetThatItMayGoGivesThePermitBack() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        Meanwhile meanwhile = new Meanwhile();
        Throttle throttle = line.throttle(TestStrategies.atMostOnTheWire(1))
                .guard(meanwhile)
                .listener(meanwhile)
                .executor(tasks::add)
                .build();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        CompletableFuture<Permit> waiting = Calls.of(throttle).newCall().acquireAsync();
        line.advanceMillis(300);
        first.release();
        assertThat(tasks).hasSize(1);
        line.advanceMillis(10);
        waiting.cancel(false);
        assertUntouched(throttle);
        tasks.remove().run();
        assertUntouched(throttle);
        assertThat(told).contains("waited 310 CancellationException");
        assertThat(throttle.tryAcquire()).isNotNull();
    }

    @Test
    void whoIsGivenUpAsItIsToldGivesThePermitBack() {
        Throttle throttle = oneAtATime();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        CompletableFuture<Permit> waiting = Calls.of(throttle).newCall().acquireAsync();
        whenToldThatItGoes = () -> waiting.cancel(false);
        first.release();
        assertThat(waiting).isCancelled();
        assertUntouched(throttle);
    }

    @Test
    void anExecutorThatRefusesLosesNoPermit() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.inFlight().limit(1).build())
                .executor(task -> {
                    throw new RejectedExecutionException("full");
                })
                .build();
        Permit first = Objects.requireNonNull(throttle.tryAcquire());
        CompletableFuture<String> end = Calls.of(throttle)
                .newCall()
                .acquireAsync()
                .handle((permit, failure) -> failure.getMessage() + " on "
                        + Thread.currentThread().getName().replaceAll("\\d", ""));
        first.release();
        assertThat(end.join()).isEqualTo("full on throttle-callback-");
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
