package dev.throttle.engine;

/**
 * Why a call may not wait.
 *
 * @param neededNanos the wait that it would need, as far as it is known
 * @param allowedNanos the wait that it may have
 * @param reason what it would wait for
 * @param byLimit whether a limit does not accept such a wait; if not, the call's own bound does not
 */
record Refusal(long neededNanos, long allowedNanos, String reason, boolean byLimit) {

    static final String QUEUE_FULL = "queue-full";
    static final String DROPPED = "dropped";
}
