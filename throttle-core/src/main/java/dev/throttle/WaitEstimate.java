package dev.throttle;

import java.time.Duration;

/**
 * How long a call would have to wait if it came now.
 *
 * @param atLeast the least wait, as far as it is known; zero if it would go at once, and where only the end of other
 *     requests, or the end of a pause, can tell
 * @param reason what it would wait for, as in {@link ThrottleRejectedException#reason()}; {@code queue-full},
 *     {@code draining} or {@code closed} if it would be turned away; empty if it would go at once
 */
public record WaitEstimate(Duration atLeast, String reason) {

    /** {@return whether the call would go without a wait} */
    public boolean isAtOnce() {
        return reason.isEmpty();
    }
}
