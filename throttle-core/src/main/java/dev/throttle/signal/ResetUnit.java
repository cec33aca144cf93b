package dev.throttle.signal;

/** How to read a number in a header that says when a quota is renewed, such as {@code X-RateLimit-Reset}. */
public enum ResetUnit {
    /**
     * By its size: below 10^9 seconds from now; from there on an instant in seconds, milliseconds, microseconds or
     * nanoseconds since the epoch.
     */
    AUTO,
    /** Seconds from now, however large. */
    SECONDS,
    /** Milliseconds from now, however large. */
    MILLIS,
    /** An instant, however small: seconds since the epoch, or a smaller unit if the number is too large for seconds. */
    EPOCH
}
