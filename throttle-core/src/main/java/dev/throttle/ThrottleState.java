package dev.throttle;

/** The state that the program has put a throttle in. */
public enum ThrottleState {
    /** Requests are sent as the strategy and the limits allow. */
    RUNNING,
    /** No requests are sent. Callers wait in the queue and keep their places. */
    PAUSED,
    /** Calls that already wait are served. New calls are rejected. */
    DRAINING,
    /** No requests are sent, and all calls are rejected. This state is final. */
    CLOSED
}
