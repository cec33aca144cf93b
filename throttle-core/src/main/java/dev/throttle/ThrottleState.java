package dev.throttle;

/** Whether a throttle lets calls go, as the program has asked of it. */
public enum ThrottleState {
    /** It lets calls go as its strategy and limits say. */
    RUNNING,
    /** It lets nobody go. Callers line up and keep their places. */
    PAUSED,
    /** It lets those go that wait already, and takes no new calls. */
    DRAINING,
    /** It lets nobody go, and nobody waits. It stays so. */
    CLOSED
}
