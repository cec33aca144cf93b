package dev.throttle;

/** What happens when a caller comes and {@link ThrottleSettings#maxWaiting} others wait already. */
public enum WhenFull {
    /** The caller is turned away. */
    REJECT_NEWCOMER,
    /**
     * The caller takes a place, and of the lowest class of {@link Priority} that waits, the one who came first is
     * turned away. Nobody leaves for a caller of a lower class, and no call that repeats an attempt is dropped: if
     * there is nobody else, the newcomer is turned away.
     */
    DROP_OLDEST_OF_LOWEST
}
