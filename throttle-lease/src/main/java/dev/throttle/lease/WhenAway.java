package dev.throttle.lease;

/** What a limit that is shared through a store does while the store cannot be reached. */
public enum WhenAway {
    /** The process uses only its share: the rate divided by the last known number of processes. This is the default. */
    SHARE,
    /** No requests are sent until the store is back. */
    CLOSED,
    /** The process uses the whole limit for itself. */
    LOCAL
}
