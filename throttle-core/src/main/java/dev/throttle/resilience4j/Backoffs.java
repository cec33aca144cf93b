package dev.throttle.resilience4j;

import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import dev.throttle.retry.Backoff;
import io.github.resilience4j.core.IntervalFunction;

/** Adapts a resilience4j {@link IntervalFunction} to a {@link Backoff}. */
@SuppressWarnings("exports") // the module is optional: who calls this has it
public final class Backoffs {

    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LONGEST_MILLIS = Nanos.MAX / NANOS_PER_MILLI;

    private Backoffs() {}

    /**
     * {@return a backoff that waits as long as an interval function says}
     *
     * @param function maps the number of failed attempts, from 1, to milliseconds; it keeps its own randomness
     */
    public static Backoff of(IntervalFunction function) {
        Preconditions.required("function", function);
        return (attempt, random) -> Math.max(0, Math.min(function.apply(attempt), LONGEST_MILLIS)) * NANOS_PER_MILLI;
    }
}
