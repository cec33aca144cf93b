package dev.throttle.engine;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a server is away, and spaces the requests that ask whether it is back.
 *
 * <p>A server is away when {@value #IN_A_ROW} attempts in a row were unreachable or met an overload. It must have
 * answered before: a port that was mistyped is not waited for. The first answer ends the outage. Attempts that fail
 * meanwhile do not count against the bounds of retries, as they do not load a server that works.
 *
 * <p>While it is unreachable one request at a time is sent, a probe. The pause after a probe that fails grows with the
 * time that the outage has lasted, from one second to two, and after 16 s to an eighth of it, at most 10 s. A server
 * that answers that it is overloaded is left to the strategy, which learns from such answers.
 *
 * <p>Each call waits for an outage for a limited time, {@code overloadWait}. A call that was sent before is then sent
 * once more, whatever the pauses, so that its caller gets the last answer. Guarded by the engine's lock.
 */
final class Outage {

    static final String REASON = "overload";

    private static final int IN_A_ROW = 3;
    private static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long USUAL_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
    private static final int PAUSE_PART = 8;
    /** The pauses of many clients are spread by so much of their length. */
    private static final double SPREAD = 0.2;

    /** How long a call waits for a server that does not answer, unless it is told otherwise. */
    private static final long UNREACHABLE_WAIT_NANOS = Duration.ofSeconds(30).toNanos();

    private static final Wait UNTIL_PROBED = new Wait(Wait.UNTIL_SIGNAL, REASON);

    private final BooleanSupplier hasAnswered;
    private final RandomGenerator random;
    private @Nullable Duration overloadWait;

    /** Attempts that have failed since the last answer. */
    private int inARow;

    private boolean away;
    /** When the outage was noticed. */
    private long since;
    /** Outages so far, the present one included. */
    private int count;
    /** Whether the last attempt that failed brought no answer, as opposed to one that tells of an overload. */
    private boolean unreachable;
    /** Since when that is so. */
    private long unreachableSince;

    private long probeAt;
    private boolean probing;
    private long probedAt;
    private long probe;

    /** @param hasAnswered whether the server has ever accepted a request or told of a quota */
    Outage(@Nullable Duration overloadWait, BooleanSupplier hasAnswered, RandomGenerator random) {
        this.overloadWait = overloadWait;
        this.hasAnswered = hasAnswered;
        this.random = random;
    }

    /** Goes by another bound from now on. */
    void follow(@Nullable Duration wait) {
        overloadWait = wait;
    }

    /** {@return whether an attempt has failed since the last answer, so that the next end matters} */
    boolean isSuspected() {
        return inARow > 0;
    }

    /** {@return whether only probes are sent} */
    boolean isProbed() {
        return away && unreachable;
    }

    /** {@return how long the outage has lasted} */
    long lastedNanos(long now) {
        return now - since;
    }

    /** A request is sent. */
    void admitted(long permitId, long now) {
        if (isProbed()) {
            probe = permitId;
            probing = true;
            probedAt = now;
        }
    }

    /**
     * An attempt has ended.
     *
     * @return whether calls may now wait for a longer or shorter time
     */
    boolean learn(Outcome outcome, long permitId, long now) {
        boolean wasAway = away;
        boolean wasProbed = isProbed();
        boolean isProbe = probing && permitId == probe;
        if (isProbe) {
            probing = false;
        }
        switch (outcome) {
            case SUCCESS, RATE_LIMITED, DENIED -> {
                inARow = 0;
                away = false;
                probing = false;
            }
            case BUSY, UNREACHABLE -> {
                if (outcome == Outcome.UNREACHABLE && !unreachable) {
                    unreachableSince = now;
                }
                unreachable = outcome == Outcome.UNREACHABLE;
                inARow++;
                if (!away && inARow >= IN_A_ROW && hasAnswered.getAsBoolean()) {
                    away = true;
                    count++;
                    since = now;
                    unreachableSince = now;
                }
            }
            case FAILED -> {}
            case IGNORED, CANCELLED -> {
                if (isProbe) {
                    probeAt = now; // it tells nothing, and the next one may go
                }
                return false;
            }
        }
        boolean changed = away != wasAway || isProbed() != wasProbed;
        if (isProbe || (changed && isProbed())) {
            probeAt = now + pauseNanos(now);
        }
        return changed;
    }

    private long pauseNanos(long now) {
        long lasted = lastedNanos(now);
        long longest = Math.max(USUAL_PAUSE_NANOS, Math.min(LONGEST_PAUSE_NANOS, lasted / PAUSE_PART));
        long pause = Math.max(FIRST_PAUSE_NANOS, Math.min(longest, lasted));
        return (long) (pause * (1 - SPREAD * random.nextDouble()));
    }

    /** {@return how long a call has to wait for the next probe} */
    Wait waitOf(CallState call, long now) {
        Wait wait = untilProbe(now);
        if (wait.isOver() || !call.isRetry()) {
            return wait;
        }
        long left = leftNanos(call, now);
        return left <= 0 || left < wait.knownNanos() ? Wait.of(left, REASON) : wait;
    }

    /** {@return how long no request may be sent; until a signal while a probe is on the wire that is not overdue} */
    private Wait untilProbe(long now) {
        if (!isHolding(now)) {
            return Wait.NONE;
        }
        return probing ? UNTIL_PROBED : Wait.of(probeAt - now, REASON);
    }

    /** {@return whether no request may be sent now} */
    boolean isHolding(long now) {
        return isProbed() && lookAgainNanos(now) > 0;
    }

    /** {@return when a probe may go at the latest, whatever becomes of the one before} */
    long lookAgainNanos(long now) {
        return !isProbed() ? Waiter.NEVER : probing ? probedAt + LONGEST_PAUSE_NANOS - now : probeAt - now;
    }

    /** {@return which outage this is, from 1; 0 if the server is not away} */
    int number() {
        return away ? count : 0;
    }

    /**
     * {@return whether a call whose attempt failed waits for the server} It does so in one outage only: a call that
     * ends one and fails again may be what starts the next.
     */
    boolean isWaitedForBy(CallState call, long now) {
        return away && (call.outage() == 0 || call.outage() == count) && leftNanos(call, now) > 0;
    }

    /** {@return how long a call may go on waiting for the server; {@link Waiter#NEVER} if the outage sets no bound} */
    long leftNanos(CallState call, long now) {
        Duration own = call.options().overloadWait();
        Duration bound = own == null ? overloadWait : own;
        if (!away || (bound == null && !unreachable)) {
            return Waiter.NEVER;
        }
        long most = bound == null ? UNREACHABLE_WAIT_NANOS : Nanos.of(bound);
        long from = bound == null ? unreachableSince : since;
        long began = call.arrivedAt() - from > 0 ? call.arrivedAt() : from;
        return Math.max(0, most - (now - began));
    }
}
