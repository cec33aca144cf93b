package dev.throttle;

import static dev.throttle.Priority.BATCH;
import static dev.throttle.Timeline.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.control.limit.WindowLimit;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a class leaves to those above it. */
class PriorityReserveTest extends PriorityStory {

    private Throttle reserving(Strategy limit) {
        return line.throttle(Strategies.none())
                .limit(limit)
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.2))
                .build();
    }

    private static Signal told(long remaining) {
        Quota quota = new Quota("minute", 100L, remaining, Duration.ofSeconds(60), null);
        return new Signal(Outcome.SUCCESS, new RateHints(null, List.of(quota)));
    }

    @Test
    void theReserveOfABucketIsThereForTheClassesAbove() {
        Throttle throttle = reserving(Strategies.tokenBucket()
                .rate(10, Duration.ofSeconds(1))
                .burst(10)
                .build());
        askAll(throttle, BATCH_CALL, "b", 12);
        assertThat(line.events).hasSize(8);
        line.events.clear();
        askAll(throttle, INTERACTIVE_CALL, "i", 2);
        assertThat(line.events).containsExactly("i1@0", "i2@0");
        line.advanceMillis(600);
        assertThat(line.events).containsExactly("i1@0", "i2@0", "b9@300", "b10@400", "b11@500", "b12@600");
        assertThat(line.time.scheduledTasks()).isZero();
    }

    @Test
    void theReserveOfEveryWindowIsThereForTheClassesAbove() {
        for (WindowLimit.Builder window :
                List.of(Strategies.fixedWindow(), Strategies.slidingWindowLog(), Strategies.slidingWindowCounter())) {
            line.events.clear();
            Throttle throttle =
                    reserving(window.limit(5).window(Duration.ofSeconds(10)).build());
            askAll(throttle, BATCH_CALL, "b", 5);
            assertThat(line.events).hasSize(4);
            assertThat(ask(throttle, INTERACTIVE_CALL, "i")).isCompleted();
            line.advanceMillis(20_000);
            assertThat(line.events).hasSize(6);
        }
    }

    @Test
    void aPlaceOnTheWireIsKeptForTheClassesAbove() {
        Throttle throttle = reserving(Strategies.inFlight().limit(5).build());
        List<CompletableFuture<Permit>> batch = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            batch.add(ask(throttle, BATCH_CALL, "b"));
        }
        assertThat(line.events).hasSize(4);
        assertThat(ask(throttle, NORMAL_CALL, "n")).isCompleted();
        batch.get(0).join().complete(Signal.SUCCESS);
        assertThat(batch.get(4)).isNotDone();
        batch.get(1).join().complete(Signal.SUCCESS);
        assertThat(batch.get(4)).isCompleted();
    }

    @Test
    void theReserveOfAToldQuotaShrinksUntilItsReset() {
        Throttle throttle = line.throttle(Strategies.none())
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.2).promoteAfter(Duration.ofHours(1)))
                .build();
        Calls.of(throttle).newCall().acquireForced().complete(told(22));
        askAll(throttle, BATCH_CALL, "b", 4);
        assertThat(line.events).containsExactly("b1@0", "b2@0");
        ask(throttle, INTERACTIVE_CALL, "i");
        line.advanceMillis(60_000);
        // 20 are kept at first and none after 60 s: one less every three seconds.
        assertThat(line.events).containsExactly("b1@0", "b2@0", "i@0", "b3@6000", "b4@9000");
    }

    @Test
    void whoIsPromotedNeedLeaveNoReserve() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.fixedWindow()
                        .limit(5)
                        .window(Duration.ofHours(1))
                        .build())
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.2))
                .build();
        askAll(throttle, BATCH_CALL, "b", 5);
        line.advanceMillis(61_000);
        assertThat(line.events).containsExactly("b1@0", "b2@0", "b3@0", "b4@0", "b5@60000");
    }

    @Test
    void aRequestThatTakesAllOfALimitIsNotKeptOutByTheReserve() {
        Throttle throttle = reserving(Strategies.tokenBucket()
                .rate(10, Duration.ofSeconds(1))
                .burst(10)
                .build());
        ask(throttle, BATCH_CALL.permits(10), "all");
        ask(throttle, BATCH_CALL.cost(Cost.requests(10)), "again");
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("all@0", "again@1000");
    }

    /** Others have waited as long, but asked later: only a call that goes on counts from when it first asked. */
    @Test
    void aRefusedCallIsPromotedByAllTheTimeSinceItFirstAsked() {
        Throttle throttle = line.throttle(Strategies.none())
                .limit(Strategies.inFlight().limit(5).build())
                .priorities(PriorityPolicy.standard().reserve(BATCH, 0.6))
                .build();
        ThrottledCall refused = Calls.of(throttle).newCall(BATCH_CALL);
        ThrottledCall answered = Calls.of(throttle).newCall(BATCH_CALL);
        Permit first = line.ask(refused, "refused").join();
        Permit second = line.ask(answered, "answered").join();
        line.advanceMillis(60_000);
        askAll(throttle, INTERACTIVE_CALL, "i", 2);
        line.events.clear();
        second.complete(Signal.SUCCESS);
        first.complete(retryAfter(Duration.ofMillis(1)));
        line.advanceMillis(1);
        line.ask(answered, "another");
        line.ask(refused, "again");
        line.advanceMillis(1);
        assertThat(line.events).containsExactly("again@60001");
    }
}
