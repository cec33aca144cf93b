package dev.throttle.engine;

import org.jspecify.annotations.Nullable;

/**
 * Why a call may not wait.
 *
 * @param neededNanos the wait that it would need, as far as it is known
 * @param allowedNanos the wait that it may have
 * @param reason what it would wait for
 * @param byLimit whether a limit does not accept such a wait; if not, the call's own bound does not
 * @param quota the name of the server's quota that it would wait for; null if it has none
 */
record Refusal(
        long neededNanos,
        long allowedNanos,
        String reason,
        boolean byLimit,
        @Nullable String quota) {

    Refusal(long neededNanos, long allowedNanos, String reason, boolean byLimit) {
        this(neededNanos, allowedNanos, reason, byLimit, null);
    }

    static final String QUEUE_FULL = "queue-full";
    static final String DROPPED = "dropped";
    static final String TOO_LARGE = "too-large";
}
