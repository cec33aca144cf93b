package dev.throttle;

import dev.throttle.signal.Signal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Model checking of the engine: in every interleaving that the checker tries, each operation answers as if all of them
 * had run one after the other on {@link Sequential}. Time stands still; one request may be on the wire, so that the end
 * of one lets the next go.
 */
public class EngineModelTest {

    /** Those who ask, each with a place or a permit or neither. */
    private static final int CALLERS = 5;

    private static final int INVOCATIONS = 80;

    private final Throttle throttle = Throttle.builder()
            .strategy(TestStrategies.atMostOnTheWire(1))
            .time(ModelChecking.standingTime())
            .executor(Runnable::run)
            .seed(1)
            .build();

    /** What each caller holds: a place in the queue or a permit. */
    private final @Nullable CompletableFuture<Permit>[] places = newPlaces();

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    private static @Nullable CompletableFuture<Permit>[] newPlaces() {
        return new CompletableFuture[CALLERS];
    }

    /** Takes a permit if one is free. */
    public String tryAcquire(int who) {
        if (places[who] != null) {
            return "busy";
        }
        Permit permit = throttle.tryAcquire();
        places[who] = permit == null ? null : CompletableFuture.completedFuture(permit);
        return permit == null ? "none" : "granted";
    }

    /** Takes a permit or a place in the queue. */
    public String acquireAsync(int who) {
        if (places[who] != null) {
            return "busy";
        }
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
        if (place.cancel(false)) {
            return "gone";
        }
        place.join().release();
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

    /**
     * Caller 0 has the permit, 1 and 2 wait. Then three threads at a time: the end of 0, what 1 does, and what somebody
     * else does.
     */
    @Test
    void everyInterleavingIsLikeSomeSequence() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, Sequential.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1), does("acquireAsync", 2));
        List<Actor> after =
                List.of(does("look", 1), does("look", 2), does("look", 3), does("tryAcquire", 4), does("complete", 4));
        for (Actor end : List.of(does("complete", 0), does("cancel", 0))) {
            for (List<Actor> second :
                    List.of(List.of(does("cancel", 1)), List.of(does("cancel", 1), does("acquireAsync", 1)))) {
                for (Actor third : List.of(does("cancel", 2), does("acquireAsync", 3))) {
                    List<List<Actor>> atTheSameTime = List.of(List.of(end), second, List.of(third));
                    options.addCustomScenario(new ExecutionScenario(before, atTheSameTime, after, null));
                }
            }
        }
        options.check(EngineModelTest.class);
    }

    private static Actor does(String operation, int who) {
        return ModelChecking.does(EngineModelTest.class, operation, who);
    }

    /** One permit and a queue, for one thread. */
    public static class Sequential {

        private static final int NOBODY = -1;

        private final Deque<Integer> queue = new ArrayDeque<>();
        private int holder = NOBODY;

        /** Takes the permit if it is free. */
        public String tryAcquire(int thread) {
            if (holder == thread || queue.contains(thread)) {
                return "busy";
            }
            if (holder != NOBODY) {
                return "none";
            }
            holder = thread;
            return "granted";
        }

        /** Takes the permit or a place in the queue. */
        public String acquireAsync(int thread) {
            if (holder == thread || queue.contains(thread)) {
                return "busy";
            }
            if (holder != NOBODY) {
                queue.add(thread);
                return "waits";
            }
            holder = thread;
            return "granted";
        }

        /** Looks whether the turn has come. */
        public String look(int thread) {
            return holder == thread ? "granted" : queue.contains(thread) ? "waits" : "idle";
        }

        /** Gives up. */
        public String cancel(int thread) {
            if (queue.remove(thread)) {
                return "gone";
            }
            return leave(thread) ? "gone" : "idle";
        }

        /** Ends the request. */
        public String complete(int thread) {
            return leave(thread) ? "ended" : "nothing to end";
        }

        private boolean leave(int thread) {
            if (holder != thread) {
                return false;
            }
            Integer next = queue.poll();
            holder = next == null ? NOBODY : next;
            return true;
        }
    }
}
