package dev.throttle;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The throttle did not let a call go, because it would have had to wait longer than it may, or because the queue is
 * full, or because the throttle is drained or closed, or because a guard such as a circuit breaker refused it. Nothing
 * was sent for the attempt that it refused.
 */
public final class ThrottleRejectedException extends IOException {

    private static final long serialVersionUID = 1L;

    /** The label of the throttle's key. */
    private final String label;

    /** What the call would have waited for. */
    private final String reason;

    /** The wait it would have needed. */
    private final Duration neededWait;

    /** The wait that was left to it. */
    private final Duration allowedWait;

    /** The instant it would have waited for. */
    private final Instant retryAt;

    /** The status of an earlier refusal; null if there was none. */
    private final @Nullable Integer lastStatus;

    /**
     * Makes an exception as a throttle throws it, for tests of code that handles it.
     *
     * @param message what happened
     * @param label the label of the throttle's key
     * @param reason what the call would have waited for, or the guard that refused it
     * @param neededWait the wait that the call would have needed
     * @param allowedWait the wait that was left to the call
     * @param retryAt the instant that the call would have waited for
     * @param lastStatus the status of an earlier attempt; null if there was none
     */
    public ThrottleRejectedException(
            String message,
            String label,
            String reason,
            Duration neededWait,
            Duration allowedWait,
            Instant retryAt,
            @Nullable Integer lastStatus) {
        super(message);
        this.label = label;
        this.reason = reason;
        this.neededWait = neededWait;
        this.allowedWait = allowedWait;
        this.retryAt = retryAt;
        this.lastStatus = lastStatus;
    }

    /** {@return the label of the throttle's key; the key itself, unless the registry was told otherwise} */
    public String label() {
        return label;
    }

    /**
     * {@return what the call would have waited for: {@code retry-after}, {@code queue-full}, {@code paused},
     * {@code draining}, {@code closed}, a strategy's name or the name of the guard that refused it}
     */
    public String reason() {
        return reason;
    }

    /** {@return the wait that the call would have needed, as far as is known, from its beginning} */
    public Duration neededWait() {
        return neededWait;
    }

    /** {@return the wait that was left to the call} */
    public Duration allowedWait() {
        return allowedWait;
    }

    /** {@return the instant that the call would have waited for, by this machine's clock} */
    public Instant retryAt() {
        return retryAt;
    }

    /**
     * {@return the status that an earlier attempt of this call was refused with; null if this was its first attempt}
     */
    public @Nullable Integer lastStatus() {
        return lastStatus;
    }
}
