package dev.throttle;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a throttle rejects a call: the call would have to wait too long, the queue is full, the throttle is
 * draining or closed, or a guard such as a circuit breaker refuses it. The rejected attempt was not sent.
 *
 * <pre>{@code
 * try {
 *     return client.newCall(request).execute();
 * } catch (ThrottleRejectedException e) {
 *     return tryLater(e.retryAt());
 * }
 * }</pre>
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

    /** The status of the last refusal that explains the wait; null if there was none. */
    private final @Nullable Integer lastStatus;

    /**
     * Makes an exception like those that throttles throw, for tests of code that handles them.
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

    /**
     * {@return the label of the throttle's key; the key itself unless {@link ThrottleRegistry.Builder#label} says
     * otherwise}
     */
    public String label() {
        return label;
    }

    /**
     * {@return what the call would have waited for: {@code retry-after}, {@code overload}, {@code queue-full},
     * {@code too-large}, {@code paused}, {@code draining}, {@code closed}, a strategy's name or the name of the guard
     * that refused it}
     */
    public String reason() {
        return reason;
    }

    /** {@return the total wait that the call would have needed since it began, as far as is known} */
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
     * {@return the status that an earlier attempt of this call was refused with} If the call was never sent and would
     * have waited for an overload or a {@code Retry-After}, the status of the last refusal of its key. Null if there is
     * none.
     */
    public @Nullable Integer lastStatus() {
        return lastStatus;
    }
}
