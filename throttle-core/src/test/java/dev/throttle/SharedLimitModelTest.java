package dev.throttle;

import dev.throttle.control.Strategies;
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
 * Model checking of a limit that two throttles share: in every interleaving that the checker tries, each operation
 * answers as if all of them had run one after the other on {@link Sequential}. Time stands still; one request of both
 * may be on the wire.
 */
public class SharedLimitModelTest {

    /** Those who ask, the even ones at one throttle and the odd ones at the other. */
    private static final int CALLERS = 6;

    private static final int INVOCATIONS = 40;

    private final Throttle[] throttles = newThrottles();

    /** What each caller holds: a place in a queue or a permit. */
    private final @Nullable CompletableFuture<Permit>[] places = newPlaces();

    private static Throttle[] newThrottles() {
        SharedLimit wire = SharedLimit.of("wire", Strategies.inFlight().limit(1).build());
        Throttle.Builder builder = Throttle.builder()
                .strategy(Strategies.none())
                .limit(wire)
                .time(ModelChecking.standingTime())
                .executor(Runnable::run)
                .seed(1);
        return new Throttle[] {builder.build(), builder.build()};
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    private static @Nullable CompletableFuture<Permit>[] newPlaces() {
        return new CompletableFuture[CALLERS];
    }

    /** Takes a permit if one is free. */
    public String tryAcquire(int who) {
        if (places[who] != null) {
            return "busy";
        }
        Permit permit = throttles[who % 2].tryAcquire();
        places[who] = permit == null ? null : CompletableFuture.completedFuture(permit);
        return permit == null ? "none" : "granted";
    }

    /** Takes a permit or a place in the queue. */
    public String acquireAsync(int who) {
        if (places[who] != null) {
            return "busy";
        }
        CompletableFuture<Permit> place = throttles[who % 2].acquireAsync();
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

    /**
     * Caller 0 has the permit, 1 waits at the other throttle, and 2 where 0 was. Then three threads at a time: the end
     * of 0, what 1 does, and what somebody else does.
     */
    @Test
    void everyInterleavingIsLikeSomeSequence() {
        ModelCheckingOptions options = ModelChecking.options(INVOCATIONS, Sequential.class);
        List<Actor> before = List.of(does("acquireAsync", 0), does("acquireAsync", 1), does("acquireAsync", 2));
        List<Actor> after = List.of(
                does("look", 1),
                does("look", 2),
                does("look", 3),
                does("complete", 1),
                does("complete", 2),
                does("look", 3),
                does("tryAcquire", 4));
        for (Actor end : List.of(does("complete", 0), does("cancel", 0))) {
            List<Actor> second = List.of(does("cancel", 1), does("acquireAsync", 1));
            for (Actor third : List.of(does("cancel", 2), does("acquireAsync", 3))) {
                List<List<Actor>> atTheSameTime = List.of(List.of(end), second, List.of(third));
                options.addCustomScenario(new ExecutionScenario(before, atTheSameTime, after, null));
            }
        }
        options.check(SharedLimitModelTest.class);
    }

    private static Actor does(String operation, int who) {
        return ModelChecking.does(SharedLimitModelTest.class, operation, who);
    }

    /** One permit and two queues that take turns, for one thread. */
    public static class Sequential {

        private static final int NOBODY = -1;

        private final List<Deque<Integer>> queues = List.of(new ArrayDeque<>(), new ArrayDeque<>());
        /** The queues in which somebody waits, in the order of their turns. */
        private final Deque<Integer> turns = new ArrayDeque<>();

        private int holder = NOBODY;

        private boolean isBusy(int who) {
            return holder == who || queues.get(who % 2).contains(who);
        }

        /** Takes the permit if it is free. */
        public String tryAcquire(int who) {
            if (isBusy(who)) {
                return "busy";
            }
            if (holder != NOBODY) {
                return "none";
            }
            holder = who;
            return "granted";
        }

        /** Takes the permit or a place in the queue. */
        public String acquireAsync(int who) {
            if (isBusy(who)) {
                return "busy";
            }
            if (holder == NOBODY) {
                holder = who;
                return "granted";
            }
            if (queues.get(who % 2).isEmpty()) {
                turns.add(who % 2);
            }
            queues.get(who % 2).add(who);
            return "waits";
        }

        /** Looks whether the turn has come. */
        public String look(int who) {
            return holder == who ? "granted" : isBusy(who) ? "waits" : "idle";
        }

        /** Gives up. */
        public String cancel(int who) {
            if (queues.get(who % 2).remove(who)) {
                if (queues.get(who % 2).isEmpty()) {
                    turns.remove(who % 2);
                }
                return "gone";
            }
            return leave(who) ? "gone" : "idle";
        }

        /** Ends the request. */
        public String complete(int who) {
            return leave(who) ? "ended" : "nothing to end";
        }

        private boolean leave(int who) {
            if (holder != who) {
                return false;
            }
            holder = NOBODY;
            Integer turn = turns.poll();
            if (turn != null) {
                holder = queues.get(turn).remove();
                if (!queues.get(turn).isEmpty()) {
                    turns.add(turn);
                }
            }
            return true;
        }
    }
}
