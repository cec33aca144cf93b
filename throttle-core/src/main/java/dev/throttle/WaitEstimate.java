package dev.throttle;

import java.time.Duration;

/**
 * Estimates how long a call would have to wait if it arrived now. See {@link Throttle#estimateWait}.
 *
 * @param atLeast the least wait, as far as it is known; zero if the call would be sent at once, or if the wait depends
 *     on the end of other requests or of a pause
 * @param reason what the call would wait for, as in {@link ThrottleRejectedException#reason()}; {@code queue-full},
 *     {@code draining} or {@code closed} if it would be rejected; empty if it would be sent at once
 */
public record WaitEstimate(Duration atLeast, String reason) {

    /** {@return whether the call would be sent without a wait} */
    public boolean isAtOnce() {
        return reason.isEmpty();
    }
}
