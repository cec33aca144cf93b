package dev.throttle.signal;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a server said about one of its limits; what it did not say is null.
 *
 * @param policy the policy's name, such as {@code requests} or {@code daily}; null for a limit without a name
 * @param limit how many units the policy grants per window, not negative
 * @param remaining how many units are left, not negative
 * @param reset the time until the policy grants units again, seen from the response, not negative
 * @param window the length of the policy's window, positive
 */
public record Quota(
        @Nullable String policy,
        @Nullable Long limit,
        @Nullable Long remaining,
        @Nullable Duration reset,
        @Nullable Duration window) {

    /** {@return whether the server said that nothing is left} */
    public boolean isExhausted() {
        return remaining != null && remaining == 0;
    }
}
