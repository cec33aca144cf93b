package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Who cannot go, or goes away, leaves the turn to the other keys of the limit. */
class SharedLimitLeaverTest extends SharedLimitStory {

    @Test
    void whomTheServerTellsToStayAwayLosesItsTurn() {
        Throttle a = within(wire);
        Throttle b = within(wire);
        Permit holder = line.ask(b, "b0").join();
        line.ask(a, "a1");
        CompletableFuture<Permit> b1 = line.ask(b, "b1");
        a.observe(Timeline.retryAfter(Duration.ofSeconds(1)));
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
        ThrottledCall call = Calls.of(keys.get(1)).newCall();
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
        assertThat(b.estimateWait(CallOptions.DEFAULT))
                .returns(Duration.ofMillis(300), WaitEstimate::atLeast)
                .returns("tenths", WaitEstimate::reason);
        CompletableFuture<Permit> b2 = line.ask(b, "b2");
        assertThat(b2).isDone();
        assertThat(Timeline.rejection(b2).neededWait()).isEqualTo(Duration.ofMillis(300));
        line.advanceMillis(1_000);
        assertThat(line.events).containsExactly("a1@0", "b2 rejected@0", "a2@100", "b1@200");
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
            Calls.of(throttles.get("k" + i)).newCall().acquireForced().complete(Signal.SUCCESS);
        }
        assertThat(first.isEvicted()).isTrue();
        assertThat(throttles.get("first").tryAcquire()).isNull(); // what it had taken is taken
    }
}
