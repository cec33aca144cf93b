package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Whoever ends the wait, the permit goes to the caller or back, once. */
class PendingPermitTest {

    private final List<String> events = new ArrayList<>();
    private final Waiter waiter = new Waiter(new CallState(CallOptions.DEFAULT, 0), Cost.ONE, w -> {}, Waiter.NEVER);
    private boolean isQueued = true;
    private boolean hasExecutor = true;
    private boolean hasThreads = true;
    private Runnable meanwhile = () -> {};

    private final Permit permit = new StubPermit(() -> events.add("released permit"));
    private final Permit own = new StubPermit(() -> events.add("released own"));
    private final PendingPermit pending = new Pending();

    /** A call that writes down what is asked of it. */
    private final class Pending extends PendingPermit {

        @Override
        void execute(Runnable task) {
            run(task, hasExecutor);
        }

        @Override
        void executeAside(Runnable task) {
            events.add("aside");
            run(task, hasThreads);
        }

        private void run(Runnable task, boolean isThere) {
            if (!isThere) {
                throw new RejectedExecutionException("full");
            }
            task.run();
        }

        @Override
        Permit settle(Waiter settled) {
            meanwhile.run();
            events.add("settled");
            return permit;
        }

        @Override
        boolean withdraw(Waiter withdrawn) {
            events.add("withdrawn");
            return isQueued;
        }

        @Override
        void giveBack(Waiter given) {
            events.add("given back");
        }
    }

    PendingPermitTest() {
        pending.waitsAt(waiter);
    }

    @Test
    void theCallerGetsThePermit() {
        waiter.place = Place.GRANTED;
        pending.settled(waiter);
        assertThat(pending).isCompletedWithValue(permit);
        assertThat(events).containsExactly("settled");
    }

    @Test
    void whoGivesUpWhileItWaitsLeavesTheQueue() {
        assertThat(pending.cancel(false)).isTrue();
        assertThat(events).containsExactly("withdrawn");
        pending.settled(waiter);
        assertThat(pending).isCancelled();
    }

    @Test
    void whoGivesUpWhenItWasLetGoGivesBackOnce() {
        isQueued = false;
        assertThat(pending.completeExceptionally(new IllegalStateException("given up")))
                .isTrue();
        assertThat(events).containsExactly("withdrawn", "given back");
        assertThat(pending.cancel(false)).isFalse();
        assertThat(pending.complete(permit)).isFalse();
        assertThat(pending.completeExceptionally(new IllegalStateException("again")))
                .isFalse();
        pending.settled(waiter);
        assertThat(events).containsExactly("withdrawn", "given back");
    }

    @Test
    void whoTakesSomethingElseGivesBackToo() {
        isQueued = false;
        assertThat(pending.complete(own)).isTrue();
        assertThat(events).containsExactly("withdrawn", "given back");
        assertThat(pending).isCompletedWithValue(own);
    }

    @Test
    void whoGivesUpBeforeItWaitsAnywhereHasNothingToLeave() {
        PendingPermit nowhere = new Pending();
        assertThat(nowhere.cancel(false)).isTrue();
        assertThat(events).isEmpty();
    }

    @Test
    void aPermitThatComesTooLateIsReleased() {
        isQueued = false;
        meanwhile = () -> pending.complete(own);
        pending.settled(waiter);
        assertThat(events).containsExactly("withdrawn", "settled", "released permit");
        assertThat(pending).isCompletedWithValue(own);
    }

    @Test
    void whatTurnsTheCallerAwayIsItsException() {
        meanwhile = () -> {
            throw new IllegalArgumentException("turned away");
        };
        pending.settled(waiter);
        assertThatThrownBy(pending::join).hasRootCauseMessage("turned away");
    }

    @Test
    void withoutAnExecutorThePermitGoesBackOnAnotherThread() {
        hasExecutor = false;
        waiter.place = Place.GRANTED;
        pending.settled(waiter);
        assertThat(events).containsExactly("aside", "given back");
        assertThatThrownBy(pending::join).hasRootCauseInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void withoutAnyThreadItGoesBackHere() {
        hasExecutor = false;
        hasThreads = false;
        waiter.place = Place.GRANTED;
        pending.settled(waiter);
        assertThat(events).containsExactly("aside", "given back");
        assertThat(pending).isCompletedExceptionally();
    }

    @Test
    void withoutAnExecutorWhoWasTurnedAwayHearsWhy() {
        hasExecutor = false;
        waiter.place = Place.REJECTED;
        meanwhile = () -> {
            throw new IllegalArgumentException("turned away");
        };
        pending.settled(waiter);
        assertThatThrownBy(pending::join).hasRootCauseMessage("turned away");
        assertThat(events).containsExactly("aside");
    }

    @Test
    void withoutAnExecutorNothingGoesBackTwice() {
        hasExecutor = false;
        isQueued = false;
        waiter.place = Place.GRANTED;
        pending.cancel(false);
        pending.settled(waiter);
        assertThat(events).containsExactly("withdrawn", "given back", "aside");
    }
}
