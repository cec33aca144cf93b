package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.fixtures.OpenController;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A controller at rest is told nothing; the moment it wakes up it must not miss the end that it goes on to wait for.
 */
class LostWakeUpTest {

    private final Timeline line = new Timeline();
    private @Nullable Permit other;
    private @Nullable Thread ending;

    /** At rest until a refusal; then lets nobody go before the next success. */
    private final class AfterRefusal extends OpenController {

        private boolean refused;

        @Override
        public boolean isIdle() {
            return !refused;
        }

        @Override
        public long dueNanos(Cost ahead, Cost cost, long now) {
            return refused ? UNTIL_SIGNAL : now;
        }

        @Override
        public void onSignal(Signal signal, Load load, long now) {
            if (signal.outcome() == Outcome.RATE_LIMITED) {
                endTheOther();
            }
            refused = signal.outcome() == Outcome.RATE_LIMITED;
        }
    }

    /** The other request ends while this one's refusal is being learned from; returns when it can get no further. */
    private void endTheOther() {
        Permit permit = other;
        assertThat(permit).isNotNull();
        Thread thread = new Thread(() -> permit.complete(Signal.SUCCESS));
        ending = thread;
        thread.start();
        Blocking.await(() -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TERMINATED);
    }

    @Test
    void anEndThatMeetsTheFirstRefusalIsHeard() throws InterruptedException {
        Throttle throttle = line.throttle(TestStrategies.named("after refusal", AfterRefusal::new))
                .build();
        Permit refused = throttle.acquireAsync().join();
        other = throttle.acquireAsync().join();
        refused.complete(Signal.RATE_LIMITED);
        CompletableFuture<Permit> next = throttle.acquireAsync();
        Thread thread = ending;
        assertThat(thread).isNotNull();
        thread.join();
        assertThat(next).isDone();
    }
}
