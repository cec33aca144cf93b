package dev.throttle;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Model checking of changes of a limit against permits and cancellations: in every interleaving that the checker tries,
 * each operation answers as if all of them had run one after the other on {@link Sequential}. Time stands still.
 */
public class ReconfigureModelTest {

    private static final int CALLERS = 5;
    private static final int INVOCATIONS = 10;

    private static final List<Strategy> LIMITS = List.of(inFlight(1), inFlight(1), inFlight(2));

    private static Strategy inFlight(long limit) {
        return Strategies.inFlight().limit(limit).build();
    }

    /** Caller 0 has the permit, 1 and 2 wait. Then a change, what those do, and what somebody else does. */
    @Test
    void everyInterleavingIsLikeSomeSequence() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, Sequential.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1), does("acquireAsync", 2));
        List<Actor> after =
                List.of(does("look", 1), does("look", 2), does("look", 3), does("acquireAsync", 4), does("look", 4));
        List<Actor> third = List.of(does("acquireAsync", 3));
        for (Actor second : List.of(does("complete", 0), does("cancel", 1))) {
            options.addCustomScenario(new ExecutionScenario(
                    before, List.of(List.of(does("limit", 2)), List.of(second), third), after, null));
        }
        options.check(WithLimit.class);
    }

    /** Without a limit nobody counts who is on the wire; from the change on it matters. */
    @Test
    void aLimitThatComesCountsThoseThatAreOnTheWire() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, SequentialWithoutLimit.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1));
        List<Actor> after = List.of(does("acquireAsync", 3), does("complete", 1), does("look", 2), does("look", 3));
        for (Actor second : List.of(does("complete", 0), does("cancel", 0))) {
            options.addCustomScenario(new ExecutionScenario(
                    before,
                    List.of(List.of(does("limit", 1)), List.of(second), List.of(does("acquireAsync", 2))),
                    after,
                    null));
        }
        options.check(WithoutLimit.class);
    }

    private static Actor does(String operation, int argument) {
        return ModelChecking.does(Operations.class, operation, argument);
    }

    /** What callers do with a throttle. */
    public abstract static class Operations {

        private final Throttle throttle;

        private final @Nullable CompletableFuture<Permit>[] places = newPlaces();

        @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
        private static @Nullable CompletableFuture<Permit>[] newPlaces() {
            return new CompletableFuture[CALLERS];
        }

        private Operations(Throttle.Builder builder) {
            throttle = builder.strategy(TestStrategies.free())
                    .time(ModelChecking.standingTime())
                    .executor(Runnable::run)
                    .seed(1)
                    .build();
        }

        /** Lets so many be on the wire. */
        public void limit(int most) {
            throttle.reconfigure(key -> {
                key.clearLimits();
                key.limit(LIMITS.get(most));
            });
        }

        /** Takes a permit or a place in the queue. */
        public String acquireAsync(int who) {
            CompletableFuture<Permit> place = throttle.acquireAsync();
            places[who] = place;
            return place.isDone() ? "granted" : "waits";
        }

        /** Looks whether the turn has come. */
        public String look(int who) {
            CompletableFuture<Permit> place = places[who];
            return place == null ? "idle" : place.isDone() ? "granted" : "waits";
        }

        /** Gives up a place in the queue, or a permit unsent. */
        public String cancel(int who) {
            CompletableFuture<Permit> place = places[who];
            if (place == null) {
                return "idle";
            }
            places[who] = null;
            if (!place.cancel(false)) {
                place.join().release();
            }
            return "gone";
        }

        /** Ends a request. */
        public String complete(int who) {
            CompletableFuture<Permit> place = places[who];
            if (place == null || !place.isDone()) {
                return "nothing to end";
            }
            places[who] = null;
            place.join().complete(Signal.SUCCESS);
            return "ended";
        }
    }

    /** One request at a time, to begin with. */
    public static class WithLimit extends Operations {

        public WithLimit() {
            super(Throttle.builder().limit(LIMITS.get(1)));
        }
    }

    /** No limit, to begin with. */
    public static class WithoutLimit extends Operations {

        public WithoutLimit() {
            super(Throttle.builder());
        }
    }

    /** Some permits and a queue, for one thread. */
    public static class Sequential {

        private final Deque<Integer> queue = new ArrayDeque<>();
        private final Set<Integer> holders = new HashSet<>();
        private int limit;

        public Sequential() {
            this(1);
        }

        Sequential(int limit) {
            this.limit = limit;
        }

        /** Lets so many be on the wire. */
        public void limit(int most) {
            limit = most;
            letGo();
        }

        /** Takes a permit or a place in the queue. */
        public String acquireAsync(int who) {
            queue.add(who);
            letGo();
            return look(who);
        }

        /** Looks whether the turn has come. */
        public String look(int who) {
            return holders.contains(who) ? "granted" : queue.contains(who) ? "waits" : "idle";
        }

        /** Gives up. */
        public String cancel(int who) {
            boolean was = queue.remove(who) | holders.remove(who);
            letGo();
            return was ? "gone" : "idle";
        }

        /** Ends the request. */
        public String complete(int who) {
            boolean was = holders.remove(who);
            letGo();
            return was ? "ended" : "nothing to end";
        }

        private void letGo() {
            while (!queue.isEmpty() && holders.size() < limit) {
                holders.add(queue.remove());
            }
        }
    }

    /** As many permits as anybody asks for, until a limit comes. */
    public static class SequentialWithoutLimit extends Sequential {

        public SequentialWithoutLimit() {
            super(Integer.MAX_VALUE);
        }
    }
}
