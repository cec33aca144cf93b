package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Several keys within one limit take turns, to the nanosecond. */
class SharedLimitTest extends SharedLimitStory {

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
    void theSleepThatIsShownCountsWhatOtherKeysHaveTakenSince() {
        Throttle a = within(tenths);
        Throttle b = within(tenths);
        assertThat(b.snapshot().sleep()).isZero();
        line.ask(a, "a1");
        assertThat(b.snapshot().sleep()).isEqualTo(Duration.ofMillis(100));
        line.advanceMillis(60);
        assertThat(b.snapshot().sleep()).isEqualTo(Duration.ofMillis(40));
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
    void whatGoesByForceCountsToo() {
        Throttle a = within(wire);
        Throttle b = within(wire);
        Permit one = Calls.of(a).newCall().acquireForced();
        Permit two = Calls.of(a).newCall().acquireForced();
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
        Permit first = line.ask(Calls.of(a).newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 100))), "a1")
                .join();
        line.ask(Calls.of(b).newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 50))), "b1");
        line.advanceMillis(100);
        first.settle(Cost.of("tokens", 80)); // 20 come back
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a1@0", "b1@300");
        assertThatThrownBy(() -> Calls.of(a).newCall(CallOptions.DEFAULT.cost(Cost.of("tokens", 101))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aRefusedCallComesBackWithinTheLimit() {
        Throttle a = within(tenths);
        Throttle b = within(tenths);
        Permit refused = line.ask(Calls.of(a).newCall(), "a1").join();
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
}
