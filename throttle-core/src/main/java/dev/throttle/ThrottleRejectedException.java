package dev.throttle;

import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The throttle did not let a call go, because it would have had to wait longer than it may, or because the queue is
 * full. Nothing was sent for the attempt that it refused.
 */
public final class ThrottleRejectedException extends IOException {

    private static final long serialVersionUID = 1L;

    /** The key of the throttle. */
    private final String key;

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

    ThrottleRejectedException(
            String key,
            String reason,
            Duration neededWait,
            Duration allowedWait,
            Instant retryAt,
            @Nullable Integer lastStatus) {
        super("throttle " + key + ": needs a wait of " + neededWait + " (" + reason + "), allowed are " + allowedWait
                + (lastStatus == null ? "" : "; the last answer was " + lastStatus));
        this.key = key;
        this.reason = reason;
        this.neededWait = neededWait;
        this.allowedWait = allowedWait;
        this.retryAt = retryAt;
        this.lastStatus = lastStatus;
    }

    static ThrottleRejectedException of(
            String key, ThrottledCall call, long neededNanos, long allowedNanos, String reason, TimeSource time) {
        long soFar = time.nanoTime() - call.waitBeganAt();
        long fromNow = Math.max(0, neededNanos - soFar);
        return new ThrottleRejectedException(
                key,
                reason,
                Duration.ofNanos(neededNanos),
                Duration.ofNanos(allowedNanos),
                Instant.ofEpochMilli(time.currentTimeMillis()).plusNanos(fromNow),
                call.lastStatus());
    }

    /** {@return the key of the throttle} */
    public String key() {
        return key;
    }

    /**
     * {@return what the call would have waited for: {@code retry-after}, {@code queue-full}, or a strategy's name ...}
     */
    public String reason() {
        return reason;
    }

    /** {@return the wait that the call would have needed, as far as is known; at least the wait it was allowed} */
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
