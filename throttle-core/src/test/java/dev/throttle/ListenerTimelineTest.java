package dev.throttle;

import static dev.throttle.Timeline.exhausted;
import static dev.throttle.Timeline.remaining;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a listener hears that a wait begins, that a quota is used up, and that there is nothing to do any more. */
class ListenerTimelineTest {

    private final Timeline line = new Timeline();
    private final ThrottleListener listener = new ThrottleListener() {
        @Override
        public void onWaiting(Source throttle, Priority priority, String reason, Duration atLeast) {
            line.add("waiting " + reason + " " + atLeast.toMillis());
        }

        @Override
        public void onWaited(Source throttle, Priority priority, String reason, Duration wait) {
            line.add("waited " + reason + " " + wait.toMillis());
        }

        @Override
        public void onRejected(Source throttle, ThrottleRejectedException rejection) {
            line.add("rejected");
        }

        @Override
        public void onQuotaExhausted(Source throttle, Quota quota) {
            line.add("exhausted " + quota.policy());
        }

        @Override
        public void onIdle(Source throttle) {
            line.add("idle " + throttle.snapshot().waiting()
                    + throttle.snapshot().inFlight());
        }
    };

    private Throttle throttle(Strategy strategy) {
        return line.throttle(strategy)
                .listener(listener)
                .maxWait(Duration.ofSeconds(60))
                .build();
    }

    private static void ask(Throttle throttle) {
        CompletableFuture<Permit> ignored = throttle.acquireAsync();
        assertThat(ignored).isNotNull();
    }

    @Test
    void aWaitIsToldWhenItBeginsWithWhatItIsAndHowLongAtLeast() {
        Throttle throttle = throttle(TestStrategies.pace(Duration.ofMillis(100)));
        ask(throttle);
        line.time.advanceNanos(1);
        ask(throttle);
        ask(throttle);
        assertThat(line.events).containsExactly("waiting pace 99@0.1", "waiting pace 199@0.1");
        line.advanceMillis(500);
        assertThat(line.events)
                .containsExactly(
                        "waiting pace 99@0.1", "waiting pace 199@0.1", "waited pace 99@100", "waited pace 199@200");
    }

    @Test
    void aWaitForAnEndOfOthersHasNoKnownLengthAndARetryWaitsAnew() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.inFlight().limit(1).build())
                .listener(listener)
                .build();
        Permit first = throttle.acquireAsync().join();
        ask(throttle);
        line.advanceMillis(5);
        first.complete(retryAfter(Duration.ofMillis(300)));
        CompletableFuture<Permit> again = first.acquireAgainAsync();
        line.advanceMillis(300);
        again.join().complete(Signal.SUCCESS);
        assertThat(line.events)
                .containsExactly(
                        "waiting in-flight 0@0",
                        "waiting retry-after 300@5",
                        "waited retry-after 300@305",
                        "waited in-flight 305@305");
    }

    @Test
    void whoIsTurnedAwayAtOnceOrLetGoAtOnceDoesNotBeginToWait() {
        Throttle throttle = throttle(Strategies.none());
        throttle.acquireAsync().join().end(retryAfter(Duration.ofHours(1)));
        ask(throttle);
        assertThat(line.events).containsExactly("idle 00@0", "rejected@0");
    }

    @Test
    void aKeyIsIdleWhenTheLastRequestHasEndedAndNobodyWaits() {
        Throttle throttle = throttle(TestStrategies.free());
        Permit a = throttle.acquireAsync().join();
        Permit b = throttle.acquireAsync().join();
        a.complete(Signal.SUCCESS);
        line.advanceMillis(7);
        assertThat(line.events).isEmpty();
        b.release();
        assertThat(line.events).containsExactly("idle 00@7");
        line.advanceMillis(1);
        throttle.tryAcquire().complete(Signal.SUCCESS);
        assertThat(line.events).containsExactly("idle 00@7", "idle 00@8");
    }

    @Test
    void whoIsAboutToRepeatKeepsAKeyBusyAndWhoGivesUpLeavesItIdle() {
        Throttle throttle = throttle(Strategies.none());
        Permit a = throttle.acquireAsync().join();
        a.complete(retryAfter(Duration.ofSeconds(9)));
        CompletableFuture<Permit> again = a.acquireAgainAsync();
        line.advanceMillis(2);
        again.cancel(false);
        assertThat(line.events).containsExactly("waiting retry-after 9000@0", "idle 00@2");
    }

    @Test
    void aKeyIsIdleWhenTheLastWhoWaitsIsTurnedAway() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.inFlight().limit(1).build())
                .listener(listener)
                .maxWait(Duration.ofSeconds(60))
                .build();
        Permit first = throttle.acquireAsync().join();
        ask(throttle);
        first.end(retryAfter(Duration.ofHours(1)));
        assertThat(line.events).containsExactly("waiting in-flight 0@0", "rejected@0", "idle 00@0");
    }

    @Test
    void aQuotaIsUsedUpOnceUntilSomethingIsLeftAgainOrItsResetHasPassed() {
        Throttle throttle = throttle(TestStrategies.free());
        Permit[] permits = new Permit[6];
        for (int i = 0; i < permits.length; i++) {
            permits[i] = throttle.acquireAsync().join();
        }
        permits[0].end(exhausted(Outcome.SUCCESS, Duration.ofSeconds(2)));
        permits[1].end(exhausted(Outcome.RATE_LIMITED, Duration.ofSeconds(2)));
        permits[2].end(remaining(0));
        line.advanceMillis(1_999);
        permits[3].end(exhausted(Outcome.RATE_LIMITED, Duration.ofMillis(1)));
        line.advanceMillis(1);
        permits[4].end(exhausted(Outcome.SUCCESS, Duration.ofSeconds(2)));
        permits[5].end(remaining(3));
        Calls.of(throttle).newCall().acquireForced().end(remaining(0));
        assertThat(line.events.stream().filter(event -> event.startsWith("exhausted")))
                .containsExactly(
                        "exhausted daily@0", "exhausted null@0", "exhausted daily@2000", "exhausted null@2000");
    }
}
