package dev.throttle.engine;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One wait of one caller, for a listener that follows it. The caller's thread reports the beginning and another thread
 * the end, maybe earlier. The end is reported once.
 */
public final class WaitTrail {

    /** Follows one wait. */
    public interface Follower {

        /**
         * The wait has ended.
         *
         * @param reason what the caller waited for
         * @param waitNanos how long it waited
         * @param failure why it was not let go; null if it was
         */
        void ended(String reason, long waitNanos, @Nullable Throwable failure);
    }

    private record Ending(
            String reason, long waitNanos, @Nullable Throwable failure) {

        void tell(Follower follower) {
            follower.ended(reason, waitNanos, failure);
        }
    }

    /** Nothing, the follower, or the ending. */
    private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

    void begun(Follower follower) {
        if (!state.compareAndSet(null, follower) && state.get() instanceof Ending ending) {
            ending.tell(follower);
        }
    }

    void ended(String reason, long waitNanos, @Nullable Throwable failure) {
        Ending ending = new Ending(reason, waitNanos, failure);
        Object before = state.getAndUpdate(present -> present instanceof Ending ? present : ending);
        if (before instanceof Follower follower) {
            ending.tell(follower);
        }
    }
}
