package dev.throttle;

import dev.throttle.signal.Signal;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What callers do with one or more throttles while a model check looks on. {@link SequentialPermits} says what is
 * right.
 */
public abstract class PermitOperations {

    private static final int CALLERS = 6;

    private final Throttle[] throttles;

    /** What each caller holds: a place in a queue or a permit. */
    private final @Nullable CompletableFuture<Permit>[] places = newPlaces();

    /** Each caller asks one of these throttles, the next caller the next one. */
    protected PermitOperations(Throttle... throttles) {
        this.throttles = throttles;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a generic type
    private static @Nullable CompletableFuture<Permit>[] newPlaces() {
        return new CompletableFuture[CALLERS];
    }

    /** {@return the settings of a throttle that runs on the checked threads only, in a time that stands still} */
    protected static Throttle.Builder settings() {
        return Throttle.builder()
                .time(ModelChecking.standingTime())
                .executor(Runnable::run)
                .seed(1);
    }

    protected Throttle throttleOf(int who) {
        return throttles[who % throttles.length];
    }

    /** Takes a permit if one is free. */
    public String tryAcquire(int who) {
        if (places[who] != null) {
            return "busy";
        }
        Permit permit = throttleOf(who).tryAcquire();
        places[who] = permit == null ? null : CompletableFuture.completedFuture(permit);
        return permit == null ? "none" : "granted";
    }

    /** Takes a permit or a place in the queue. */
    public String acquireAsync(int who) {
        if (places[who] != null) {
            return "busy";
        }
        CompletableFuture<Permit> place = throttleOf(who).acquireAsync();
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
