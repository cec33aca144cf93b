package dev.throttle.retry;

import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * How long to wait before an attempt is repeated where the server named no time. Implementations are thread-safe and
 * take their randomness from the argument.
 */
@FunctionalInterface
public interface Backoff {

    /**
     * The wait before the next attempt.
     *
     * @param attempt how many attempts have failed in a row, from 1
     * @param random a random number from 0 (inclusive) to 1 (exclusive)
     * @return the wait in nanoseconds, not negative
     */
    long delayNanos(int attempt, double random);

    /**
     * Exponential backoff with full jitter: a wait drawn evenly between zero and {@code min(cap, base *
     * 2^(attempt-1))}. The cap comes before the jitter, so that clients whose backoff has reached it stay spread out.
     * After Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
     *
     * @param base the bound of the first wait, above zero
     * @param cap the bound of all waits, not below the base
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
