package dev.throttle.engine;

import dev.throttle.control.Scope;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps all calls of a key waiting until the time that the server named, or all those that a quota counts if the server
 * said which quota it meant. Only time opens it: an answer that was under way when it closed proves nothing.
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

    /** A quota that a refusal names is renewed after a month at most. */
    private static final long LONGEST_USED_UP_NANOS = Duration.ofDays(32).toNanos();
    /** A server that invents names of quotas must not fill the memory. */
    private static final int MOST_NAMES = 64;
    /**
     * A call of which it is not known what counts it does not wait for a quota that is closed for longer: it would have
     * to give up before anything could be learned about it.
     */
    private static final long LONGEST_DOUBT_NANOS = Duration.ofMinutes(15).toNanos();

    /** The longest time that a server's word is remembered that is about all calls. */
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
    /** What keeps only those calls waiting that a quota counts, by its name. Never changed, but replaced. */
    private volatile Map<String, Closing> named = Map.of();

    private final Set<Hold> holds = new HashSet<>();
    /** The hold that ends last. */
    private volatile @Nullable Closing held;

    /** @param isLong whether it was to last for longer than a call of which little is known waits */
    private record Closing(long until, String reason, boolean isLong) {

        static long waitNanos(@Nullable Closing closing, long now) {
            return closing == null ? 0 : closing.until - now;
        }

        Wait waitAt(long now) {
            return Wait.of(until - now, reason);
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

    /** {@return the time until the gate opens for all calls; 0 or less when it is open for all} */
    long waitNanos(long now) {
        long longest = Math.max(Closing.waitNanos(closing, now), Closing.waitNanos(held, now));
        Map<String, Closing> all = named;
        if (all.isEmpty()) { // as with most servers
            return longest;
        }
        for (Closing one : all.values()) {
            longest = Math.max(longest, Closing.waitNanos(one, now));
        }
        return longest;
    }

    /** {@return the wait of a call until the gate opens, and why it was closed} */
    Wait waitAt(Scope scope, long now) {
        Wait wait = waitOfAll(now);
        Map<String, Closing> all = named;
        if (all.isEmpty()) {
            return wait;
        }
        for (Map.Entry<String, Closing> entry : all.entrySet()) {
            if (holds(entry, scope)) {
                wait = wait.longer(entry.getValue().waitAt(now));
            }
        }
        return wait;
    }

    private static boolean holds(Map.Entry<String, Closing> entry, Scope scope) {
        boolean isDoubtful = scope instanceof Routes.Known known && known.doubts(entry.getKey());
        return scope.counts(entry.getKey()) && !(isDoubtful && entry.getValue().isLong());
    }

    /** {@return the name of the quota for which a call waits longest here; null if it waits for none} */
    @Nullable String heldBy(Scope scope, long now) {
        String name = null;
        long longest = Math.max(0, waitOfAll(now).nanos());
        for (Map.Entry<String, Closing> entry : named.entrySet()) {
            long own = Closing.waitNanos(entry.getValue(), now);
            if (own > longest && holds(entry, scope)) {
                longest = own;
                name = entry.getKey();
            }
        }
        return name;
    }

    /** {@return the wait of all calls, whatever counts them} */
    private Wait waitOfAll(long now) {
        Closing learned = closing;
        Closing tentative = held;
        boolean isHeldLonger = Closing.waitNanos(tentative, now) > Closing.waitNanos(learned, now);
        Closing current = isHeldLonger ? tentative : learned;
        return current == null ? Wait.NONE : current.waitAt(now);
    }

    /** Closes the gate, or keeps it closed for longer, if the signal says so. */
    void onSignal(Signal signal, double random, long now) {
        RateHints hints = signal.hints();
        if (hints.isEmpty()) {
            return;
        }
        boolean isDenied = signal.outcome() == Outcome.DENIED;
        if (!signal.outcome().isRefusal() && !isDenied) {
            closeUntilResets(hints, LONGEST_AFTER_SUCCESS_NANOS, random, now);
        } else if (hints.retryAfter() == null && awaitsResets && hints.resetOfExhausted() != null) {
            closeUntilResets(hints, LONGEST_NANOS, random, now);
        } else {
            Duration wait = hints.retryAfter() != null ? hints.retryAfter() : hints.floor();
            List<String> blamed = signal.outcome() == Outcome.BUSY ? List.of() : hints.blamed();
            String reason = isDenied ? QUOTA_RESET : RETRY_AFTER;
            long longest = isDenied ? LONGEST_USED_UP_NANOS : LONGEST_NANOS;
            if (blamed.isEmpty()) {
                close(null, wait, reason, longest, random, now);
            }
            for (String name : blamed) {
                close(name, wait, reason, LONGEST_USED_UP_NANOS, random, now);
            }
        }
    }

    private void closeUntilResets(RateHints hints, long longest, double random, long now) {
        for (Quota quota : hints.quotas()) {
            if (awaitsResets && quota.isExhausted()) {
                close(quota.policy(), quota.reset(), QUOTA_RESET, longest, random, now);
            }
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
            last = last == null || hold.until - last.until > 0 ? new Closing(hold.until, RETRY_AFTER, false) : last;
        }
        held = last;
    }

    /** Closes the gate for a key that was forgotten while it was held back. */
    void closeForgotten(long nanos, long now) {
        close(null, Duration.ofNanos(nanos), FORGOTTEN, LONGEST_NANOS, 0, now);
    }

    /** Closes the gate for the calls that a quota counts, or for all without one. */
    private void close(
            @Nullable String name, @Nullable Duration wait, String reason, long longest, double random, long now) {
        if (wait == null) {
            return;
        }
        long bounded = Math.min(Nanos.of(wait), longest);
        long added = (long) (Math.min((double) longestJitterNanos, (double) bounded * jitter) * random);
        Closing before = name == null ? closing : named.get(name);
        if (bounded <= 0 || Closing.waitNanos(before, now) >= bounded + added) {
            return;
        }
        boolean isLong = bounded > LONGEST_DOUBT_NANOS
                || (before != null && before.isLong() && Closing.waitNanos(before, now) > 0);
        Closing next = new Closing(now + bounded + added, reason, isLong);
        if (name == null) {
            closing = next;
            return;
        }
        Map<String, Closing> changed = new HashMap<>(named);
        changed.values().removeIf(old -> Closing.waitNanos(old, now) <= 0);
        if (changed.size() < MOST_NAMES || changed.containsKey(name)) {
            changed.put(name, next);
            named = Map.copyOf(changed);
        } else {
            close(null, wait, reason, Math.min(longest, LONGEST_NANOS), random, now); // who cannot keep them apart
        }
    }
}
