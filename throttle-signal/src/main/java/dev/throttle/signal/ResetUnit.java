package dev.throttle.signal;

/** The meaning of the number in a header that says when a quota is renewed, such as {@code X-RateLimit-Reset}. */
public enum ResetUnit {
    /**
     * The size decides. Numbers below 10^9 are seconds from now. Larger ones are instants in seconds, milliseconds,
     * microseconds or nanoseconds since the epoch.
     */
    AUTO,
    /** Seconds from now, however large. */
    SECONDS,
    /** Milliseconds from now, however large. */
    MILLIS,
    /** An instant, however small: seconds since the epoch, or a smaller unit if the number is too large for seconds. */
    EPOCH
}
