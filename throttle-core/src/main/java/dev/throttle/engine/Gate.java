package dev.throttle.engine;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps everybody of a key waiting until the time that the server named. Only time opens it: an answer that was under
 * way when it closed proves nothing.
 *
 * <p>A wait is never shorter than the server asked. Guarded by the engine's lock, except for reads of the time it opens
 * at.
 */
final class Gate {

    static final String RETRY_AFTER = "retry-after";
    static final String QUOTA_RESET = "quota-reset";

    /** The longest time that a server's word is remembered. */
    private static final long LONGEST_NANOS = Duration.ofHours(24).toNanos();
    /** An accepted answer is no refusal: after this time the server is asked again, whatever reset it named. */
    private static final long LONGEST_AFTER_SUCCESS_NANOS =
            Duration.ofMinutes(10).toNanos();

    private final double jitter;
    private final long longestJitterNanos;
    /** Whether a quota that is used up keeps everybody waiting until its reset. */
    private final boolean awaitsResets;

    private volatile @Nullable Closing closing;

    private record Closing(long until, String reason) {}

    Gate(double jitter, Duration longestJitter, boolean awaitsResets) {
        this.jitter = jitter;
        this.longestJitterNanos = Nanos.of(longestJitter);
        this.awaitsResets = awaitsResets;
    }

    /** {@return the time until the gate opens; 0 or less when it is open} */
    long waitNanos(long now) {
        Closing current = closing;
        return current == null ? 0 : current.until - now;
    }

    /** {@return the wait until the gate opens, and why it was closed} */
    Wait waitAt(long now) {
        Closing current = closing;
        return current == null ? Wait.NONE : Wait.of(current.until - now, current.reason);
    }

    /** Closes the gate, or keeps it closed for longer, if the signal says so. */
    void onSignal(Signal signal, double random, long now) {
        RateHints hints = signal.hints();
        if (hints.isEmpty()) {
            return;
        }
        Duration reset = awaitsResets ? hints.resetOfExhausted() : null;
        if (!signal.outcome().isRefusal()) {
            close(reset, QUOTA_RESET, LONGEST_AFTER_SUCCESS_NANOS, random, now);
        } else if (hints.retryAfter() == null && reset != null) {
            close(reset, QUOTA_RESET, LONGEST_NANOS, random, now);
        } else {
            Duration wait = hints.retryAfter() != null ? hints.retryAfter() : hints.floor();
            close(wait, RETRY_AFTER, LONGEST_NANOS, random, now);
        }
    }

    private void close(@Nullable Duration wait, String reason, long longest, double random, long now) {
        if (wait == null) {
            return;
        }
        long bounded = Math.min(Nanos.of(wait), longest);
        long added = (long) (Math.min((double) longestJitterNanos, (double) bounded * jitter) * random);
        if (bounded > 0 && waitNanos(now) < bounded + added) {
            closing = new Closing(now + bounded + added, reason);
        }
    }
}
