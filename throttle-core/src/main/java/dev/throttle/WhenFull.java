package dev.throttle;

/**
 * Says which caller is rejected when the queue is full, that is, when {@link Throttle.Builder#maxWaiting} callers are
 * waiting and another one arrives.
 */
public enum WhenFull {
    /** The new caller is rejected. */
    REJECT_NEWCOMER,
    /**
     * The oldest caller of the lowest waiting {@link Priority} is rejected, and the new caller takes a place. A caller
     * is never dropped for one of a lower priority, and a retry is never dropped. If there is no other caller to drop,
     * the new one is rejected.
     */
    DROP_OLDEST_OF_LOWEST
}
