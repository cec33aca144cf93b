package dev.throttle.engine;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all calls of a key waiting until the time that the server named. Only time opens it: an answer that was under
 * way when it closed proves nothing.
 *
 * <p>Where it is not known yet who sent a refusal, a {@link Hold} keeps the gate closed until it is.
 *
 * <p>A wait is never shorter than the server asked. Guarded by the engine's lock, except for reads of the time it opens
 * at.
 */
final class Gate {

    static final String RETRY_AFTER = "retry-after";
    static final String QUOTA_RESET = "quota-reset";
    static final String FORGOTTEN = "forgotten";

    /** The longest time that a server's word is remembered. */
    static final long LONGEST_NANOS = Duration.ofHours(24).toNanos();
    /** An accepted answer is no refusal: after this time the server is asked again, whatever reset it named. */
    private static final long LONGEST_AFTER_SUCCESS_NANOS =
            Duration.ofMinutes(10).toNanos();

    /** How long a refusal that names no time holds the gate while its sender is not known. */
    private static final long HOLD_NANOS = Duration.ofSeconds(1).toNanos();

    private double jitter;
    private long longestJitterNanos;
    /** Whether a quota that is used up keeps all calls waiting until its reset. */
    private boolean awaitsResets;

    private volatile @Nullable Closing closing;

    private final Set<Hold> holds = new HashSet<>();
    /** The hold that ends last. */
    private volatile @Nullable Closing held;

    private record Closing(long until, String reason) {

        static long waitNanos(@Nullable Closing closing, long now) {
            return closing == null ? 0 : closing.until - now;
        }
    }

    /** Keeps the gate closed until it is lifted, or its time is over. */
    static final class Hold {

        private long until;
    }

    Gate(double jitter, Duration longestJitter, boolean awaitsResets) {
        this.jitter = jitter;
        this.longestJitterNanos = Nanos.of(longestJitter);
        this.awaitsResets = awaitsResets;
    }

    /** Goes by other settings from the next signal on. What is closed stays closed. */
    void follow(double nextJitter, Duration nextLongestJitter, boolean awaits) {
        jitter = nextJitter;
        longestJitterNanos = Nanos.of(nextLongestJitter);
        awaitsResets = awaits;
    }

    /** {@return the time until the gate opens; 0 or less when it is open} */
    long waitNanos(long now) {
        return Math.max(Closing.waitNanos(closing, now), Closing.waitNanos(held, now));
    }

    /** {@return the wait until the gate opens, and why it was closed} */
    Wait waitAt(long now) {
        Closing learned = closing;
        Closing tentative = held;
        boolean isHeldLonger = Closing.waitNanos(tentative, now) > Closing.waitNanos(learned, now);
        Closing current = isHeldLonger ? tentative : learned;
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

    /** Closes the gate for as long as a refusal demands whose sender is not known yet. */
    void hold(Hold hold, Signal refusal, long now) {
        Duration named = refusal.hints().refusalWait();
        hold.until = now + (named == null ? HOLD_NANOS : Math.min(Nanos.of(named), LONGEST_NANOS));
        holds.add(hold);
        showHolds();
    }

    /** Without effect if it was lifted already. */
    void lift(Hold hold) {
        if (holds.remove(hold)) {
            showHolds();
        }
    }

    private void showHolds() {
        Closing last = null;
        for (Hold hold : holds) {
            last = last == null || hold.until - last.until > 0 ? new Closing(hold.until, RETRY_AFTER) : last;
        }
        held = last;
    }

    /** Closes the gate for a key that was forgotten while it was held back. */
    void closeForgotten(long nanos, long now) {
        close(Duration.ofNanos(nanos), FORGOTTEN, LONGEST_NANOS, 0, now);
    }

    private void close(@Nullable Duration wait, String reason, long longest, double random, long now) {
        if (wait == null) {
            return;
        }
        long bounded = Math.min(Nanos.of(wait), longest);
        long added = (long) (Math.min((double) longestJitterNanos, (double) bounded * jitter) * random);
        if (bounded > 0 && Closing.waitNanos(closing, now) < bounded + added) {
            closing = new Closing(now + bounded + added, reason);
        }
    }
}
