package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.fixtures.OpenController;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What adapters need beyond asking and ending: attempts nobody can stop, permits that come back, revised options. */
class AdapterHooksTest {

    private final VirtualTime time = new VirtualTime();

    private Throttle throttle(Strategy strategy) {
        return Throttle.builder()
                .strategy(strategy)
                .retryAfterJitter(0, Duration.ZERO)
                .time(time)
                .executor(Runnable::run)
                .seed(1)
                .build();
    }

    private static Strategy sleep(long seconds) {
        return Strategies.exponentialIncreaseProportionalRemainingDecrease()
                .startingSleep(Duration.ofSeconds(seconds))
                .jitter(0)
                .build();
    }

    private static Signal retryAfter(long seconds) {
        return new Signal(Outcome.RATE_LIMITED, new RateHints(Duration.ofSeconds(seconds), List.of()));
    }

    @Test
    void aChargedAttemptNeverWaitsAndIsPacedForTheOthers() {
        Throttle throttle = throttle(new EverySecond());
        Permit first = Calls.of(throttle).newCall().acquireForced();
        Permit second = Calls.of(throttle).newCall().acquireForced();
        CompletableFuture<Permit> waiter = throttle.acquireAsync();
        assertThat(waiter).isNotDone();
        assertThat(throttle.snapshot().inFlight()).isEqualTo(2);
        time.advance(Duration.ofSeconds(1));
        assertThat(waiter).isDone();
        first.complete(Signal.SUCCESS);
        second.complete(Signal.SUCCESS);
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(2);
    }

    @Test
    void aChargedAttemptPassesAClosedGateAndItsEndIsLearnedFrom() {
        Throttle throttle = throttle(sleep(0));
        Calls.of(throttle).newCall().acquireForced().complete(retryAfter(30));
        Permit permit = Calls.of(throttle).newCall().acquireForced();
        assertThat(permit.complete(retryAfter(60)).isRetry()).isTrue();
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void aCallWhosePermitWentBackUnsentHasSleptAlready() {
        Throttle throttle = throttle(sleep(2));
        ThrottledCall call = Calls.of(throttle).newCall();
        CompletableFuture<Permit> admission = call.acquireAsync();
        time.advance(Duration.ofSeconds(2));
        admission.join().release();
        assertThat(call.waited()).isZero();
        time.advance(Duration.ofSeconds(1));
        assertThat(call.acquireAsync()).isDone();
        assertThat(call.attempts()).isEqualTo(1);
    }

    @Test
    void theWaitOfACallWhosePermitWentBackIsCountedOnce() {
        Throttle throttle = throttle(sleep(2));
        ThrottledCall call = Calls.of(throttle).newCall();
        CompletableFuture<Permit> admission = call.acquireAsync();
        time.advance(Duration.ofSeconds(2));
        admission.join().release();
        Calls.of(throttle).newCall().acquireForced().complete(retryAfter(5));
        CompletableFuture<Permit> again = call.acquireAsync();
        time.advance(Duration.ofSeconds(5));
        assertThat(again).isDone();
        assertThat(call.waited()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void revisedOptionsHoldForTheNextDecision() {
        Throttle throttle = throttle(sleep(0));
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit permit = call.acquireAsync().join();
        call.updateOptions(call.options().maxWait(Duration.ofSeconds(9)));
        assertThat(permit.complete(retryAfter(10))).isEqualTo(StopReason.WAIT_TOO_LONG.decision());
    }

    @Test
    void whatTheBodyTellsCountsAndTheStatusIsRemembered() {
        Throttle throttle = throttle(sleep(0));
        ThrottledCall call = Calls.of(throttle).newCall(CallOptions.DEFAULT.maxWait(Duration.ofSeconds(30)));
        ResponseHead forbidden = new ResponseHead() {
            @Override
            public int status() {
                return 403;
            }

            @Override
            public void forEachHeader(HeaderVisitor visitor) {}
        };
        assertThat(throttle.read(forbidden)).isEqualTo(Signal.SUCCESS);
        Permit permit = call.acquireAsync().join();
        assertThat(permit.complete(forbidden, retryAfter(20)).isRetry()).isTrue();
        CompletableFuture<Permit> again = call.acquireAsync();
        Calls.of(throttle).newCall().acquireForced().complete(retryAfter(60));
        assertThatThrownBy(again::join)
                .cause()
                .isInstanceOfSatisfying(
                        ThrottleRejectedException.class,
                        e -> assertThat(e.lastStatus()).isEqualTo(403));
    }

    @Test
    void theNumberOfPermitsCannotBeRevised() {
        ThrottledCall call = Calls.of(throttle(sleep(0))).newCall();
        assertThatThrownBy(() -> call.updateOptions(CallOptions.DEFAULT.permits(2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cost must be unchanged, requests=1, but was requests=2");
    }

    /** One request a second. */
    private static final class EverySecond implements Strategy {

        @Override
        public String name() {
            return "every-second";
        }

        @Override
        public RateController newController(ControllerHost host) {
            return new OpenController() {
                private long due;
                private boolean started;

                @Override
                public long dueNanos(Cost ahead, Cost cost, long now) {
                    return started ? due : now;
                }

                @Override
                public void onAdmitted(Cost cost, long permitId, long now) {
                    started = true;
                    due = now + Duration.ofSeconds(1).toNanos();
                }

                @Override
                public double limitPerSecond() {
                    return 1;
                }
            };
        }
    }
}
