package dev.throttle.engine;

import dev.throttle.ThrottleState;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether an engine lets calls go: what was asked of it and what was asked of the set that it belongs to, together. Of
 * both, whatever is stricter holds. Guarded by the engine's lock, except for {@link #shown()}.
 */
final class RunState {

    static final String PAUSED = "paused";
    static final String DRAINING = "draining";
    static final String CLOSED = "closed";

    private final Supplier<RunMode> set;
    private RunMode own = RunMode.RUNNING;
    /** The modes that are followed. */
    private RunMode followedOwn = RunMode.RUNNING;

    private RunMode followedSet = RunMode.RUNNING;
    private boolean standsStill;
    /** When all waits have to be over, as was asked of the set; null if they need not. */
    private volatile @Nullable Long endsAt;

    private boolean endChanged;
    private long stoodStillSince;
    private ThrottleState told = ThrottleState.RUNNING;
    private volatile ThrottleState shown = ThrottleState.RUNNING;

    RunState(Supplier<RunMode> set) {
        this.set = set;
    }

    /** Follows from the next {@link #catchUp} on what is asked of this engine. */
    void ask(RunMode mode) {
        own = own.then(mode);
    }

    /**
     * Follows what was asked since.
     *
     * @return whether bounds begin to count again that stood still
     */
    boolean catchUp(long now) {
        RunMode ofSet = set.get();
        if (ofSet.equals(followedSet) && own.equals(followedOwn)) {
            return false;
        }
        followedSet = ofSet;
        followedOwn = own;
        shown = Stream.of(ThrottleState.CLOSED, ThrottleState.PAUSED, ThrottleState.DRAINING)
                .filter(this::isEither)
                .findFirst()
                .orElse(ThrottleState.RUNNING);
        endChanged |= !Objects.equals(endsAt, ofSet.endsAt());
        endsAt = ofSet.endsAt();
        boolean stood = standsStill;
        standsStill = isPaused() && endsAt == null && (own.standStill() || ofSet.standStill());
        if (standsStill && !stood) {
            stoodStillSince = now;
        }
        return stood && !standsStill;
    }

    private boolean isEither(ThrottleState state) {
        return followedOwn.state() == state || followedSet.state() == state;
    }

    /** {@return whether waits have to be over at another time than when this was last asked} */
    boolean takeEndChange() {
        boolean changed = endChanged;
        endChanged = false;
        return changed;
    }

    /** {@return how long a call may wait until the end, from the time its wait began; {@link Waiter#NEVER} for ever} */
    long untilEnd(CallState call, long now) {
        Long end = endsAt;
        return end == null ? Waiter.NEVER : Math.max(0, end - now) + call.sleptNanos(now);
    }

    /** {@return whether waits have to be over by an instant; any thread may ask} */
    boolean isEnding() {
        return endsAt != null;
    }

    /** {@return the state, if it is another than when this was last asked; null if not} */
    @Nullable ThrottleState takeChange() {
        ThrottleState current = shown;
        boolean changed = current != told;
        told = current;
        return changed ? current : null;
    }

    /** {@return the state, which any thread may read} */
    ThrottleState shown() {
        return shown;
    }

    /** {@return whether nothing was asked of this engine, so that another one in its place would do the same} */
    boolean isOwnRunning() {
        return own.state() == ThrottleState.RUNNING;
    }

    /** {@return whether calls are let go and taken; else each needs thought} */
    boolean isRunning() {
        return shown == ThrottleState.RUNNING && set.get().state() == ThrottleState.RUNNING;
    }

    boolean isClosed() {
        return shown == ThrottleState.CLOSED;
    }

    boolean isPaused() {
        return shown == ThrottleState.PAUSED;
    }

    /** {@return whether new calls are rejected: it drains or is closed} */
    boolean refusesNew() {
        return isClosed() || isEither(ThrottleState.DRAINING);
    }

    /** {@return whether the bounds of waits stand still} */
    boolean standsStill() {
        return standsStill;
    }

    /** {@return since when bounds stand still, or stood still last} */
    long stoodStillSince() {
        return stoodStillSince;
    }

    /** {@return why a call is not taken; null if it is} What was let go before may go on where others end. */
    @Nullable String refusal(CallState call) {
        if (isClosed()) {
            return CLOSED;
        }
        return refusesNew() && !call.isRetry() && !call.wasAdmitted() ? DRAINING : null;
    }
}
