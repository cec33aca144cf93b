package dev.throttle.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
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

    private final CompletableFuture<Follower> begun = new CompletableFuture<>();
    private final AtomicBoolean ended = new AtomicBoolean();

    void begun(Follower follower) {
        begun.complete(follower);
    }

    void ended(String reason, long waitNanos, @Nullable Throwable failure) {
        if (!ended.getAndSet(true)) {
            begun.thenAccept(follower -> follower.ended(reason, waitNanos, failure));
        }
    }
}
