package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.ThrottledCall;
import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Several keys within one limit, to the nanosecond. */
class SharedLimitTest {

    private final Timeline line = new Timeline();
    private final SharedLimit tenths = SharedLimit.of("tenths", oneEvery(100));
    private final SharedLimit wire =
            SharedLimit.of("wire", Strategies.inFlight().limit(1).build());

    private static Strategy oneEvery(long millis) {
        return Strategies.tokenBucket()
                .rate(1, Duration.ofMillis(millis))
                .burst(1)
                .build();
    }

    private Throttle.Builder builder(Strategy... limits) {
        Throttle.Builder builder = line.throttle(Strategies.none());
        for (Strategy limit : limits) {
            builder.limit(limit);
        }
        return builder;
    }

    private Throttle within(Strategy... limits) {
        return builder(limits).build();
    }

    private static void free(CompletableFuture<Permit> place) {
        place.join().complete(Signal.SUCCESS);
    }

    @Test
    void keysTakeTurns() {
        Throttle a = within(tenths);
        Throttle b = within(tenths);
        Throttle c = within(tenths);
        for (int i = 1; i <= 4; i++) {
            line.ask(a, "a" + i);
        }
        line.ask(b, "b1");
        line.ask(b, "b2");
        line.advanceMillis(250);
        line.ask(c, "c1");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a1@0", "a2@100", "b1@200", "a3@300", "b2@400", "c1@500", "a4@600");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aNewcomerDoesNotOvertakeWhoWaits() {
        Throttle a = within(tenths);
        Throttle b = within(tenths);
        line.ask(a, "a1");
        line.ask(a, "a2");
        line.time.schedule(100_000_000, () -> assertThat(b.tryAcquire()).isNull());
        line.advanceMillis(150);
        assertThat(b.tryAcquire()).isNull();
        line.advanceMillis(50);
        assertThat(b.tryAcquire()).isNotNull();
        assertThat(line.events).containsExactly("a1@0", "a2@100");
    }

    @Test
    void anEndOfOneKeyLetsTheNextKeyGo() {
        Throttle a = within(wire);
        Throttle b = within(wire);
        CompletableFuture<Permit> a1 = line.ask(a, "a1");
        CompletableFuture<Permit> b1 = line.ask(b, "b1");
        CompletableFuture<Permit> a2 = line.ask(a, "a2");
        line.ask(b, "b2");
        line.time.advanceNanos(7);
        free(a1);
        line.time.advanceNanos(1);
        b1.join().release();
        line.time.advanceNanos(1);
        free(a2);
        assertThat(line.events).containsExactly("a1@0", "b1@0.7", "a2@0.8", "b2@0.9");
        assertThat(a.snapshot().inFlightLimit()).isEqualTo(1);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void everyEndingGivesThePlaceBack() {
        Throttle a = within(wire);
        Throttle b = within(wire);
        for (Outcome outcome : Outcome.values()) {
            CompletableFuture<Permit> a1 = line.ask(a, "a");
            CompletableFuture<Permit> b1 = line.ask(b, "b");
            assertThat(b1).isNotDone();
            a1.join().end(Signal.of(outcome, RateHints.NONE));
            assertThat(b1).as("after %s", outcome).isCompleted();
            free(b1);
        }
    }

    @Test
    void whoWaitsForItsOwnLimitTakesNothingMeanwhile() {
        Throttle slow = within(tenths, oneEvery(1_000));
        Throttle fast = within(tenths);
        line.ask(slow, "s1");
        line.ask(slow, "s2");
        for (int i = 1; i <= 12; i++) {
            line.ask(fast, "f" + i);
        }
        line.advanceMillis(1_300);
        // From 1 s on the slow one stands at the end of the line: behind the fast one, which has its turn then.
        assertThat(line.events)
                .containsExactly(
                        "s1@0",
                        "f1@100",
                        "f2@200",
                        "f3@300",
                        "f4@400",
                        "f5@500",
                        "f6@600",
                        "f7@700",
                        "f8@800",
                        "f9@900",
                        "f10@1000",
                        "s2@1100",
                        "f11@1200",
                        "f12@1300");
    }

    @Test
    void whomTheServerTellsToStayAwayLosesItsTurn() {
        Throttle a = within(wire);
        Throttle b = within(wire);
        Permit holder = line.ask(b, "b0").join();
        line.ask(a, "a1");
        CompletableFuture<Permit> b1 = line.ask(b, "b1");
        a.hear(Timeline.retryAfter(Duration.ofSeconds(1)));
        line.advanceMillis(10);
        holder.complete(Signal.SUCCESS);
        line.advanceMillis(20);
        free(b1);
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("b0@0", "b1@10", "a1@1000");
    }

    @Test
    void whoGivesUpIsPausedOrClosedLeavesItsTurn() {
        List<Throttle> keys = new ArrayList<>();
        List<CompletableFuture<Permit>> places = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            keys.add(within(wire));
            places.add(line.ask(keys.get(i), "k" + i));
        }
        ThrottledCall call = keys.get(1).newCall();
        CompletableFuture<Permit> second = line.ask(call, "call");
        places.get(1).cancel(false);
        keys.get(2).pause();
        keys.get(3).close();
        call.cancel();
        line.advanceMillis(5);
        free(places.get(0));
        assertThat(places.get(4)).isCompleted();
        keys.get(2).resume();
        line.advanceMillis(5);
        free(places.get(4));
        line.advanceMillis(5);
        free(places.get(5));
        assertThat(line.events)
                .containsExactly(
                        "k0@0", "k1 cancelled@0", "k3 rejected@0", "call cancelled@0", "k4@5", "k5@10", "k2@15");
        assertThat(second).isCancelled();
    }

    @Test
    void whoseTimeIsOverLeavesItsTurn() {
        Throttle a = within(wire);
        Throttle b = builder(wire).maxWait(Duration.ofMillis(10)).build();
        Throttle c = within(wire);
        CompletableFuture<Permit> a1 = line.ask(a, "a1");
        CompletableFuture<Permit> b1 = line.ask(b, "b1");
        line.ask(c, "c1");
        line.advanceMillis(10);
        free(a1);
        assertThat(Timeline.rejection(b1).reason()).isEqualTo("wire");
        assertThat(line.events).containsExactly("a1@0", "b1 rejected@10", "c1@10");
    }

    @Test
    void aWaitThatIsTooLongIsKnownInAdvance() {
        Throttle a = within(tenths);
        Throttle b = builder(tenths).maxWait(Duration.ofMillis(250)).build();
        line.ask(a, "a1");
        line.ask(a, "a2");
        line.ask(b, "b1");
        assertThat(b.estimateWait(CallOptions.DEFAULT)).isEqualTo(new WaitEstimate(Duration.ofMillis(300), "tenths"));
        CompletableFuture<Permit> b2 = line.ask(b, "b2");
        assertThat(b2).isDone();
        assertThat(Timeline.rejection(b2).neededWait()).isEqualTo(Duration.ofMillis(300));
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a1@0", "b2 rejected@0", "a2@100", "b1@200");
    }

    @Test
    void aGroupWithinACompany() {
        SharedLimit group = SharedLimit.of("group", oneEvery(300));
        Throttle one = within(tenths, group);
        Throttle two = within(group, tenths);
        Throttle other = within(tenths);
        for (int i = 1; i <= 2; i++) {
            line.ask(one, "one" + i);
            line.ask(two, "two" + i);
        }
        for (int i = 1; i <= 8; i++) {
            line.ask(other, "o" + i);
        }
        line.advanceMillis(1_200);
        assertThat(line.events)
                .containsExactly(
                        "one1@0",
                        "o1@100",
                        "o2@200",
                        "two1@300",
                        "o3@400",
                        "o4@500",
                        "one2@600",
                        "o5@700",
                        "o6@800",
                        "two2@900",
                        "o7@1000",
                        "o8@1100");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void twoLimitsOfRequestsInFlightAreTakenTogether() {
        SharedLimit other =
                SharedLimit.of("other", Strategies.inFlight().limit(1).build());
        Throttle both = within(wire, other);
        CompletableFuture<Permit> a = line.ask(within(wire), "a");
        CompletableFuture<Permit> b = line.ask(within(other), "b");
        CompletableFuture<Permit> c = line.ask(both, "c");
        line.advanceMillis(1);
        free(a);
        CompletableFuture<Permit> d = line.ask(within(wire), "d"); // c does not keep what it cannot use
        line.advanceMillis(1);
        free(b);
        assertThat(c).isNotDone();
        line.advanceMillis(1);
        free(d);
        assertThat(line.events).containsExactly("a@0", "b@0", "d@1", "c@3");
    }

    @Test
    void whatGoesByForceCountsToo() {
        Throttle a = within(wire);
        Throttle b = within(wire);
        Permit one = a.newCall().acquireForced();
        Permit two = a.newCall().acquireForced();
        CompletableFuture<Permit> b1 = line.ask(b, "b1");
        one.complete(Signal.SUCCESS);
        assertThat(b1).isNotDone();
        two.complete(Signal.SUCCESS);
        assertThat(b1).isCompleted();
    }

    @Test
    void costsAreCountedAndSettled() {
        SharedLimit tokens = SharedLimit.of(
                "tokens",
                Strategies.tokenBucket()
                        .unit("tokens")
                        .rate(100, Duration.ofSeconds(1))
                        .burst(100)
                        .build());
        Throttle a = within(tokens);
        Throttle b = within(tokens);
        Permit first = line.ask(a.newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 100))), "a1")
                .join();
        line.ask(b.newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 50))), "b1");
        line.advanceMillis(100);
        first.settle(Cost.of("tokens", 80)); // 20 come back
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a1@0", "b1@300");
        assertThatThrownBy(() -> a.newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 101))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRefusedCallComesBackWithinTheLimit() {
        Throttle a = within(tenths);
        Throttle b = within(tenths);
        Permit refused = line.ask(a.newCall(), "a1").join();
        line.ask(b, "b1");
        line.ask(b, "b2");
        assertThat(refused.complete(Timeline.retryAfter(Duration.ofMillis(150))).isRetry())
                .isTrue();
        line.record(refused.acquireAgainAsync(), "again");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a1@0", "b1@100", "b2@200", "again@300");
    }

    @Test
    void blockingCallersTakeTurns() {
        Blocking blocking = new Blocking();
        Throttle a = builder(tenths).listener(blocking).build();
        Throttle b = builder(tenths).listener(blocking).build();
        blocking.ask(a, a::acquire).admission().join();
        Blocking.Caller a2 = blocking.ask(a, a::acquire);
        Blocking.Caller a3 = blocking.ask(a, a::acquire);
        Blocking.Caller b1 = blocking.ask(b, b::acquire);
        line.advanceMillis(100);
        a2.admission().join();
        line.advanceMillis(100);
        b1.admission().join();
        assertThat(a3.admission()).isNotDone();
        line.advanceMillis(100);
        a3.admission().join();
        assertThat(blocking.waits).containsExactly(100L, 200L, 300L);
    }

    @Test
    void aKeyIsDroppedThoughOthersUseTheLimit() {
        ThrottleRegistry throttles = line.registry(Strategies.none())
                .limit(SharedLimit.of(
                        "hour",
                        Strategies.fixedWindow()
                                .limit(3)
                                .window(Duration.ofHours(1))
                                .build()))
                .maxKeys(1)
                .build();
        Throttle first = throttles.get("first");
        free(line.ask(first, "a"));
        line.advanceMillis(1_000);
        for (int i = 0; i < 20; i++) {
            throttles.get("k" + i).newCall().acquireForced().complete(Signal.SUCCESS);
        }
        assertThat(first.isEvicted()).isTrue();
        assertThat(throttles.get("first").tryAcquire()).isNull(); // what it had taken is taken
    }

    @Test
    void aLimitGivenTwiceCountsOnce() {
        Throttle twice = within(tenths, tenths);
        line.ask(twice, "a");
        line.ask(twice, "b");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    @Test
    void onlyAFixedLimitCanBeShared() {
        for (Strategy strategy :
                List.of(Strategies.standard(), Strategies.linearBackoff().build())) {
            assertThatThrownBy(() -> SharedLimit.of("shared", strategy)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> SharedLimit.of(" ", oneEvery(1))).isInstanceOf(IllegalArgumentException.class);
        assertThat(tenths).hasToString("tenths(token-bucket{unit=requests, rate=1/100ms, burst=1})");
    }

    @Test
    void aStoreThatIsRefilledAtOnceIsHandedOutWithoutEnd() {
        int many = 1_500;
        SharedLimit window = SharedLimit.of(
                "window",
                Strategies.fixedWindow()
                        .limit(many)
                        .window(Duration.ofSeconds(1))
                        .build());
        Throttle.Builder builder = builder(window);
        List<CompletableFuture<Permit>> places = new ArrayList<>();
        for (int i = 0; i < 2 * many; i++) {
            places.add(builder.build().acquireAsync());
        }
        assertThat(places.stream().filter(CompletableFuture::isDone)).hasSize(many);
        line.advanceMillis(1_000);
        assertThat(places).allMatch(CompletableFuture::isDone);
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void aLimitGivenTwiceByAChangeCountsOnce() {
        Throttle throttle = within(tenths);
        throttle.reconfigure(key -> key.noLimits().limit(tenths).limit(tenths));
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100");
    }

    /** As when settings are read anew: what makes the limit is another object. */
    @Test
    void aLimitStaysThoughAnotherStrategyNamesIt() {
        Strategy again = new Strategy() {
            @Override
            public String name() {
                return "again";
            }

            @Override
            public Controller newController(ControllerHost host) {
                return tenths.newController(host);
            }

            @Override
            public Controller newController(RandomGenerator random) {
                return tenths.newController(random);
            }
        };
        Throttle throttle = within(tenths);
        Throttle other = within(tenths);
        line.ask(throttle, "a");
        line.ask(throttle, "b");
        throttle.reconfigure(key -> key.noLimits().limit(again));
        line.ask(other, "c");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a@0", "b@100", "c@200");
    }
}
