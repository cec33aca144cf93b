package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategy;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A refused call that its strategy asks to stand aside lets others go first. */
class StandAsideTest {

    private final Timeline line = new Timeline();
    private final List<Integer> refusals = new ArrayList<>();

    /** One request at a time; who was refused stands aside for a second for each refusal. */
    private final class OneAtATime extends OpenController {

        private int wire;

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            return wire + ahead.requests() > 0 ? UNTIL_SIGNAL : now;
        }

        @Override
        public void onAdmitted(Cost cost, long permitId, long now) {
            wire++;
        }

        @Override
        public void onSignal(Signal signal, Load load, long now) {
            wire--;
        }

        @Override
        public long standAsideNanos(int inARow) {
            refusals.add(inARow);
            return inARow * 1_000_000_000L;
        }
    }

    @Test
    void othersGoFirstUntilTheTimeIsOver() {
        Strategy strategy = TestStrategies.named("one", OneAtATime::new);
        Throttle throttle = line.throttle(strategy).build();
        ThrottledCall large = Calls.of(throttle).newCall();
        Permit first = large.tryAcquire();
        assertThat(first).isNotNull();
        var small = line.ask(throttle, "small");
        assertThat(first.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        var again = line.ask(large, "large");
        line.time.advance(Duration.ofMillis(400));
        assertThat(small).isDone();
        assertThat(small.join().complete(Signal.SUCCESS).isRetry()).isFalse();
        line.time.advance(Duration.ofMillis(599));
        assertThat(again).isNotDone();
        line.time.advance(Duration.ofMillis(1));
        assertThat(again).isDone();
        assertThat(again.join().complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        line.ask(large, "large");
        line.time.advance(Duration.ofSeconds(3));
        assertThat(line.events).containsExactly("small@0", "large@1000", "large@3000");
        assertThat(refusals).containsExactly(1, 2);
    }

    @Test
    void itCostsNoCallItsPatience() {
        Strategy strategy = TestStrategies.named("one", OneAtATime::new);
        Throttle throttle =
                line.throttle(strategy).maxWait(Duration.ofMillis(400)).build();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit first = call.tryAcquire();
        assertThat(first).isNotNull();
        assertThat(first.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        var again = line.ask(call, "again");
        line.time.advance(Duration.ofMillis(400));
        assertThat(again).isCompleted();
    }

    @Test
    void anOverloadIsNobodysFault() {
        Strategy strategy = TestStrategies.named("one", OneAtATime::new);
        Throttle throttle = line.throttle(strategy).build();
        Permit first = Calls.of(throttle).newCall().tryAcquire();
        assertThat(first).isNotNull();
        first.complete(Signal.BUSY);
        assertThat(refusals).isEmpty();
    }

    /** Lets go whoever comes, and takes each refusal for a sign that the request took fifty tokens. */
    private static final class FiftyTokens extends OpenController {

        @Override
        public Cost costAfterRefusal(Cost cost) {
            return cost.and("tokens", 50);
        }
    }

    @Test
    void whatARefusalTellsOfTheCostHoldsUntilTheCallIsAnswered() {
        Throttle throttle =
                line.throttle(TestStrategies.named("fifty", FiftyTokens::new)).build();
        ThrottledCall call = Calls.of(throttle).newCall();
        Permit first = call.acquireAsync().join();
        assertThat(call.cost()).isEqualTo(Cost.ONE);
        assertThat(first.complete(Signal.RATE_LIMITED).isRetry()).isTrue();
        CompletableFuture<Permit> second = call.acquireAsync();
        line.advanceMillis(200); // the longest backoff
        assertThat(second).isCompleted();
        assertThat(call.cost()).isEqualTo(Cost.of("tokens", 50));
        second.join().complete(Signal.SUCCESS);
        assertThat(call.acquireAsync()).isCompleted();
        assertThat(call.cost()).isEqualTo(Cost.ONE);
    }
}
