package dev.throttle.retry;

import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * Computes how long to wait before a retry if the server named no time. Implementations must be thread-safe and take
 * their randomness from the argument.
 *
 * <pre>{@code
 * Backoff backoff = Backoff.exponentialFullJitter(Duration.ofMillis(200), Duration.ofSeconds(20));
 * }</pre>
 */
@FunctionalInterface
public interface Backoff {

    /**
     * Returns the wait before the next attempt.
     *
     * @param attempt how many attempts have failed in a row, from 1
     * @param random a random number from 0 (inclusive) to 1 (exclusive)
     * @return the wait in nanoseconds, not negative
     */
    long delayNanos(int attempt, double random);

    /**
     * Returns an exponential backoff with full jitter: each wait is a random time between zero and {@code min(cap, base
     * * 2^(attempt-1))}. The cap applies before the jitter, so that clients that have reached it stay spread out. After
     * Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
     *
     * @param base the longest first wait, above zero
     * @param cap the longest of all waits, not below the base
     * @return the backoff
     */
    static Backoff exponentialFullJitter(Duration base, Duration cap) {
        Preconditions.positive("base", base);
        Preconditions.required("cap", cap);
        Preconditions.check(cap.compareTo(base) >= 0, "cap", cap, "a duration not below the base, " + base);
        double baseNanos = Nanos.of(base);
        double capNanos = Nanos.of(cap);
        return (attempt, random) -> (long) (Math.min(capNanos, baseNanos * Math.pow(2, attempt - 1.0)) * random);
    }
}
