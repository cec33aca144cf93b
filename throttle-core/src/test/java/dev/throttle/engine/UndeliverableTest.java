package dev.throttle.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.Permit;
import dev.throttle.engine.Waiter.Place;
import dev.throttle.signal.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Callers that cannot be told that their wait is over, as there is no thread and no memory for it. */
class UndeliverableTest {

    private final List<String> told = new ArrayList<>();

    private static Waiter waiter(Waiter.Settlement settlement) {
        return new Waiter(new CallState(CallOptions.DEFAULT, 0), Cost.ONE, settlement, Waiter.NEVER);
    }

    @Test
    void whoCannotBeToldKeepsNobodyElseFromIt() {
        Waiter first = waiter(waiter -> {
            throw new OutOfMemoryError("a test");
        });
        Waiter second = waiter(waiter -> told.add("second"));
        Trampoline.run(() -> {
            Trampoline.run(second::deliver);
            first.deliver();
        });
        assertThat(told).containsExactly("second");
    }

    private final class NoThreads extends PendingPermit {

        @Override
        void execute(Runnable task) {
            throw new OutOfMemoryError("of the executor");
        }

        @Override
        void executeAside(Runnable task) {
            throw new OutOfMemoryError("unable to create native thread");
        }

        @Override
        Permit settle(Waiter waiter) {
            throw new AssertionError("not told");
        }

        @Override
        boolean withdraw(Waiter waiter) {
            return false;
        }

        @Override
        void giveBack(Waiter waiter) {
            told.add("given back");
        }
    }

    @Test
    void withoutAnyThreadThePermitIsGivenBackAndTheCallerIsTold() {
        PendingPermit pending = new NoThreads();
        Waiter granted = waiter(pending);
        granted.place = Place.GRANTED;
        pending.waitsAt(granted);
        Trampoline.run(granted::deliver);
        assertThat(told).containsExactly("given back");
        assertThatThrownBy(pending::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(OutOfMemoryError.class);
    }
}
