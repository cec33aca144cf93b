package dev.throttle.lease;

/** What a limit does that is shared through a store while the store cannot be reached. */
public enum WhenAway {
    /**
     * The process keeps to its share: the rate divided by the number of processes that shared the limit last. The
     * default.
     */
    SHARE,
    /** Nobody is let go until the store is back. */
    CLOSED,
    /** The process uses the whole limit as if it were alone. */
    LOCAL
}
