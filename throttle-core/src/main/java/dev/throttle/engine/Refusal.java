package dev.throttle.engine;

import org.jspecify.annotations.Nullable;

/**
 * Why a call may not wait.
 *
 * @param neededNanos the wait that it would need, as far as it is known
 * @param allowedNanos the wait that it may have
 * @param reason what it would wait for
 * @param bound what does not allow the wait
 * @param quota the name of the server's quota that it would wait for; null if it has none
 */
record Refusal(
        long neededNanos,
        long allowedNanos,
        String reason,
        Bound bound,
        @Nullable String quota) {

    /** What bounds the wait of a call. */
    enum Bound {
        MAX_WAIT,
        OVERLOAD_WAIT,
        LIMIT
    }

    Refusal(long neededNanos, long allowedNanos, String reason, Bound bound) {
        this(neededNanos, allowedNanos, reason, bound, null);
    }

    static final String QUEUE_FULL = "queue-full";
    static final String DROPPED = "dropped";
    static final String TOO_LARGE = "too-large";
}
