package dev.throttle.engine;

/**
 * Why a call may not wait.
 *
 * @param neededNanos the wait that it would need, as far as it is known
 * @param allowedNanos the wait that it may have
 * @param reason what it would wait for
 * @param bound what does not allow the wait
 */
record Refusal(long neededNanos, long allowedNanos, String reason, Bound bound) {

    /** What bounds the wait of a call. */
    enum Bound {
        MAX_WAIT,
        OVERLOAD_WAIT,
        LIMIT
    }

    static final String QUEUE_FULL = "queue-full";
    static final String DROPPED = "dropped";
}
