package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Strategies, bounds, retries and guards that change while a throttle runs. */
class ReconfigureTest {

    private final Timeline line = new Timeline();

    private static Strategy oneEach(Duration period) {
        return Strategies.tokenBucket().rate(1, period).build();
    }

    @Test
    void aShorterBoundTurnsAwayAtOnceWhoCannotMakeItAnyMore() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(oneEach(Duration.ofSeconds(10)))
                .build();
        line.ask(throttle, "first");
        CompletableFuture<Permit> second = line.ask(throttle, "second");
        CompletableFuture<Permit> patient =
                line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.maxWait(Duration.ofMinutes(1))), "patient");
        line.advanceMillis(1_000);
        throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(5)));
        assertThat(line.events).containsExactly("first@0", "second rejected@1000");
        assertThat(Timeline.rejection(second).getMessage()).contains("maxWait is 5 s");
        line.advanceMillis(9_000);
        assertThat(line.events).endsWith("patient@10000");
        assertThat(patient.isDone()).isTrue();
        assertThat(throttle.maxWait()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aBoundIsKeptByThoseWhoAreNotFirstInLineToo() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(oneEach(Duration.ofSeconds(10)))
                .build();
        for (String name : List.of("1", "2", "3")) {
            line.ask(throttle, name);
        }
        throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(12)));
        line.advanceMillis(30_000);
        assertThat(line.events).containsExactly("1@0", "2@10000", "3 rejected@10000");
    }

    @Test
    void aLongerBoundLetsThemWaitOn() {
        Throttle throttle = line.throttle(Strategies.none())
                .maxWait(Duration.ofSeconds(12))
                .limit(Strategies.inFlight().limit(1).build())
                .build();
        CompletableFuture<Permit> first = line.ask(throttle, "first");
        line.ask(throttle, "second");
        line.advanceMillis(11_999);
        throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(20)));
        line.advanceMillis(7_001);
        first.join().complete(Signal.SUCCESS);
        line.ask(throttle, "third");
        line.advanceMillis(20_000);
        assertThat(line.events).containsExactly("first@0", "second@19000", "third rejected@39000");
    }

    @Test
    void aBackoffThatIsLongerThanTheNewBoundEnds() {
        Throttle throttle = line.throttle(Strategies.none())
                .retryPolicy(RetryPolicy.builder()
                        .backoff((attempt, random) -> 8_000_000_000L)
                        .build())
                .build();
        Permit permit = throttle.acquireAsync().join();
        assertThat(permit.complete(Signal.BUSY).isRetry()).isTrue();
        line.record(permit.acquireAgainAsync(), "again");
        line.advanceMillis(100);
        throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(9)));
        assertThat(line.events).isEmpty();
        throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(7)));
        assertThat(line.events).containsExactly("again rejected@100");
        assertThat(throttle.snapshot().waiting()).isZero();
    }

    @Test
    void aStrategyCanBeExchanged() {
        Throttle throttle =
                line.throttle(TestStrategies.sleep(Duration.ofSeconds(5))).build();
        line.ask(throttle, "sleeps");
        line.ask(throttle, "sleeps");
        line.advanceMillis(1_000);
        assertThat(line.events).isEmpty();
        throttle.reconfigure(key -> key.strategy(TestStrategies.pace(Duration.ofSeconds(1))));
        line.ask(throttle, "comes");
        line.advanceMillis(2_000);
        assertThat(line.events).containsExactly("sleeps@1000", "sleeps@2000", "comes@3000");
    }

    @Test
    void aCallThatSleepsAfterARefusalIsLookedAtAgain() {
        Throttle throttle = line.throttle(Strategies.named("exponential-backoff", Map.of("jitter", "0")))
                .build();
        Permit permit = throttle.acquireAsync().join();
        assertThat(permit.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        line.record(permit.acquireAgainAsync(), "again");
        line.advanceMillis(300);
        assertThat(line.events).isEmpty();
        throttle.reconfigure(key -> key.strategy(Strategies.none()));
        assertThat(line.events).containsExactly("again@300");
    }

    @Test
    void aSleepGoesOnWithinTheBoundsOfTheNewStrategy() {
        Throttle throttle = line.throttle(Strategies.named("exponential-increase-gradual-decrease"))
                .build();
        for (int i = 0; i < 20; i++) {
            Calls.of(throttle).newCall().acquireForced().complete(Signal.RATE_LIMITED);
        }
        Duration learned = throttle.snapshot().sleep();
        assertThat(learned).isGreaterThan(Duration.ofSeconds(40));
        throttle.reconfigure(key -> key.strategy(Strategies.named("exponential-increase-proportional-decrease")));
        assertThat(throttle.snapshot().sleep()).isEqualTo(learned);
        throttle.reconfigure(key ->
                key.strategy(Strategies.named("exponential-increase-gradual-decrease", Map.of("maxSleep", "30s"))));
        assertThat(throttle.snapshot().sleep()).isEqualTo(Duration.ofSeconds(30));
        throttle.reconfigure(key -> key.strategy(Strategies.named("linear-backoff", Map.of("maxInterval", "20s"))));
        assertThat(throttle.snapshot().sleep()).isEqualTo(Duration.ofSeconds(20));
        throttle.reconfigure(key -> key.strategy(Strategies.named("responsive-backoff", Map.of("maxInterval", "10s"))));
        assertThat(throttle.snapshot().sleep()).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void aRateThatBusyAnswersHaveLoweredStaysLow() {
        Throttle throttle =
                line.throttle(Strategies.busyRps().initialLimit(8).build()).build();
        Calls.of(throttle).newCall().acquireForced().complete(Signal.BUSY);
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(4);
        throttle.reconfigure(key -> key.strategy(Strategies.named("busy-rps", Map.of("initialLimit", "100"))));
        assertThat(throttle.snapshot().rateLimit()).isEqualTo(4);
    }

    @Test
    void quotaPacingKnowsWhatItKnew() {
        Throttle throttle =
                line.throttle(Strategies.quotaPacing().jitter(0).build()).build();
        throttle.acquireAsync().join().complete(window(100, 12, Duration.ofSeconds(60)));
        List<Permit> spent = new ArrayList<>();
        for (Permit permit = throttle.tryAcquire(); permit != null; permit = throttle.tryAcquire()) {
            spent.add(permit);
        }
        assertThat(spent).hasSizeBetween(1, 11);
        throttle.reconfigure(key -> key.maxWait(Duration.ofMinutes(5)));
        assertThat(throttle.tryAcquire()).isNull();
        throttle.reconfigure(
                key -> key.strategy(Strategies.quotaPacing().jitter(0).build()));
        assertThat(throttle.tryAcquire()).isNull();
        throttle.reconfigure(key ->
                key.strategy(Strategies.quotaPacing().jitter(0).reserveAlone(0).build()));
        Permit more = throttle.tryAcquire();
        assertThat(more).as("what was kept for others may be used now").isNotNull();
        assertThat(throttle.snapshot().inFlight()).isLessThanOrEqualTo(12);
    }

    private static Signal window(long limit, long remaining, Duration reset) {
        Quota quota = new Quota("w", limit, remaining, reset, null);
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    @Test
    void aGateThatIsClosedStaysClosed() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        Calls.of(throttle).newCall().acquireForced().complete(Timeline.retryAfter(Duration.ofSeconds(9)));
        throttle.reconfigure(key -> key.strategy(Strategies.quotaPacing().build())
                .limit(oneEach(Duration.ofMillis(1)))
                .retryAfterJitter(1, Duration.ofSeconds(60)));
        assertThat(throttle.snapshot().blocked()).isEqualTo(Duration.ofSeconds(9));
        line.ask(throttle, "after");
        line.advanceMillis(9_000);
        assertThat(line.events).containsExactly("after@9000");
    }

    @Test
    void fewerPlacesTurnAwayNewcomersOnly() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.inFlight().limit(1).build())
                .build();
        CompletableFuture<Permit> first = throttle.acquireAsync();
        line.ask(throttle, "1");
        line.ask(throttle, "2");
        throttle.reconfigure(key -> key.maxWaiting(1));
        line.ask(throttle, "3");
        throttle.reconfigure(key -> key.whenFull(WhenFull.DROP_OLDEST_OF_LOWEST));
        line.ask(throttle, "4");
        assertThat(line.events).containsExactly("3 rejected@0", "1 rejected@0");
        first.join().complete(Signal.SUCCESS);
        assertThat(line.events).endsWith("2@0");
    }

    @Test
    void aRetryPolicyHoldsFromTheNextEndOn() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        throttle.reconfigure(key -> key.retryPolicy(RetryPolicy.none()));
        assertThat(throttle.acquireAsync().join().complete(Signal.BUSY).isRetry())
                .isFalse();
        throttle.reconfigure(
                key -> key.retryPolicy(RetryPolicy.builder().budget(0, 3).build()));
        for (int i = 0; i < 5; i++) {
            assertThat(throttle.acquireAsync().join().complete(Signal.BUSY).isRetry())
                    .isEqualTo(i < 3);
        }
        throttle.reconfigure(
                key -> key.retryPolicy(RetryPolicy.builder().budget(0, 4).build()));
        assertThat(throttle.acquireAsync().join().complete(Signal.BUSY).isRetry())
                .isTrue();
        assertThat(throttle.acquireAsync().join().complete(Signal.BUSY).isRetry())
                .as("the three of before are spent")
                .isFalse();
    }

    @Test
    void prioritiesHoldForThoseWhoWait() {
        Throttle throttle = line.throttle(Strategies.none())
                .priorities(PriorityPolicy.standard().reserve(Priority.BATCH, 0.5))
                .limit(Strategies.tokenBucket()
                        .burst(4)
                        .rate(1, Duration.ofSeconds(1))
                        .build())
                .build();
        for (int i = 0; i < 4; i++) {
            line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.priority(Priority.BATCH)), "batch");
        }
        assertThat(line.events).containsExactly("batch@0", "batch@0");
        throttle.reconfigure(key -> key.priorities(PriorityPolicy.standard()));
        assertThat(line.events).hasSize(4);
    }

    @Test
    void guardsStayUnlessTheyAreTakenAway() {
        List<String> made = new ArrayList<>();
        AdmissionGuard closed = new ClosedGuard();
        Throttle throttle = line.throttle(Strategies.none())
                .guardPerKey(key -> {
                    made.add("first");
                    return new OpenGuard();
                })
                .build();
        throttle.reconfigure(key -> key.guard(closed));
        line.ask(throttle, "refused");
        assertThat(throttle.tryAcquire()).isNull();
        throttle.reconfigure(key -> key.noGuards());
        line.ask(throttle, "goes");
        assertThat(line.events).containsExactly("refused rejected@0", "goes@0");
        assertThat(made).containsExactly("first");
    }

    @Test
    void aChangeThatCannotBeChangesNothing() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(oneEach(Duration.ofSeconds(1)))
                .build();
        line.ask(throttle, "1");
        assertThatThrownBy(() -> throttle.reconfigure(
                        key -> key.maxWait(Duration.ZERO).clearLimits().limit(Strategies.named("linear-backoff"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("strategy and limits must be ");
        assertThatThrownBy(() -> throttle.reconfigure(key -> key.clearLimits().guardPerKey(name -> {
                    throw new IllegalStateException("no guard");
                })))
                .hasMessage("no guard");
        assertThatThrownBy(() -> throttle.reconfigure(key -> key.maxWait(Duration.ofSeconds(-1))))
                .hasMessage("maxWait must be a duration of zero or more, but was PT-1S");
        line.ask(throttle, "2");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("1@0", "2@1000");
        assertThat(throttle.maxWait()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void aLimitThatIsSharedStaysWhateverElseChanges() {
        Strategy shared = SharedLimit.of(
                "shared",
                Strategies.tokenBucket().rate(1, Duration.ofSeconds(1)).build());
        Throttle throttle = line.throttle(Strategies.none()).limit(shared).build();
        line.ask(throttle, "1");
        throttle.reconfigure(key ->
                key.clearLimits().limit(Strategies.inFlight().limit(5).build()).limit(shared));
        assertThatThrownBy(() -> throttle.reconfigure(key -> key.clearLimits()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("limits must be limits that include the same shared limits as before");
        line.ask(throttle, "2");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("1@0", "2@1000");
    }

    @Test
    void aChangeWithinAChangeIsMadeFirst() {
        Throttle throttle = line.throttle(Strategies.none()).build();
        boolean[] inner = new boolean[1];
        throttle.reconfigure(key -> {
            if (!inner[0]) {
                inner[0] = true;
                throttle.reconfigure(other -> other.maxWait(Duration.ofSeconds(1)));
            }
            key.maxWaiting(0);
        });
        assertThat(throttle.maxWait()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void aCallThatTakesMoreThanTheNewLimitCanGrantGoesWhenAllIsFree() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.tokenBucket()
                        .unit("tokens")
                        .burst(100)
                        .rate(10, Duration.ofSeconds(1))
                        .build())
                .build();
        for (String name : List.of("1", "2", "3")) {
            line.ask(Calls.of(throttle).newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 100))), name);
        }
        throttle.reconfigure(key -> key.clearLimits()
                .limit(Strategies.tokenBucket()
                        .unit("tokens")
                        .burst(20)
                        .rate(10, Duration.ofSeconds(1))
                        .build()));
        assertThat(throttle.estimateWait(CallOptions.DEFAULT.cost(Cost.of("tokens", 20)))
                        .atLeast())
                .isEqualTo(Duration.ofSeconds(6));
        line.advanceMillis(4_000);
        assertThat(line.events).containsExactly("1@0", "2@2000", "3@4000");
    }

    private static class OpenGuard implements AdmissionGuard {

        @Override
        public Pass tryEnter() {
            return new Pass() {
                @Override
                public void onEnd(Signal signal, Duration duration) {}

                @Override
                public void onLeft() {}
            };
        }

        @Override
        public String name() {
            return "open";
        }
    }

    private static final class ClosedGuard implements AdmissionGuard {

        @Override
        public @Nullable Pass tryEnter() {
            return null;
        }

        @Override
        public String name() {
            return "closed";
        }
    }
}
