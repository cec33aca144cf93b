package dev.throttle;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps everybody of a key waiting until the time that the server named. Only time opens it: an answer that was under
 * way when it closed proves nothing.
 *
 * <p>A wait is never shorter than the server asked. Guarded by the throttle's lock, except for reads of the time it
 * opens at.
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

    private volatile long opensAt;
    private volatile boolean closed;
    private String reason = RETRY_AFTER;

    Gate(double jitter, Duration longestJitter, boolean awaitsResets) {
        this.jitter = jitter;
        this.longestJitterNanos = Nanos.of(longestJitter);
        this.awaitsResets = awaitsResets;
    }

    /** {@return the time until the gate opens; 0 or less when it is open} */
    long waitNanos(long now) {
        return closed ? opensAt - now : 0;
    }

    /** {@return why the gate was closed last} */
    String reason() {
        return reason;
    }

    /**
     * Closes the gate if the signal says so.
     *
     * @return whether it opens later than before
     */
    boolean onSignal(Signal signal, double random, long now) {
        RateHints hints = signal.hints();
        if (hints.isEmpty()) {
            return false;
        }
        Duration reset = awaitsResets ? hints.resetOfExhausted() : null;
        if (!signal.outcome().isRefusal()) {
            return close(reset, QUOTA_RESET, LONGEST_AFTER_SUCCESS_NANOS, random, now);
        }
        if (hints.retryAfter() == null && reset != null) {
            return close(reset, QUOTA_RESET, LONGEST_NANOS, random, now);
        }
        return close(
                hints.retryAfter() != null ? hints.retryAfter() : hints.floor(),
                RETRY_AFTER,
                LONGEST_NANOS,
                random,
                now);
    }

    private boolean close(@Nullable Duration wait, String why, long longest, double random, long now) {
        if (wait == null) {
            return false;
        }
        long bounded = Math.min(Nanos.of(wait), longest);
        long added = (long) (Math.min((double) longestJitterNanos, (double) bounded * jitter) * random);
        long until = now + bounded + added;
        if (bounded <= 0 || waitNanos(now) >= until - now) {
            return false;
        }
        opensAt = until;
        closed = true;
        reason = why;
        return true;
    }
}
