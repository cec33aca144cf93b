package dev.throttle.engine;

import dev.throttle.internal.Nanos;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a server is away, and spaces the requests that ask whether it is back.
 *
 * <p>A server is away when {@value #IN_A_ROW} attempts in a row were unreachable or met an overload. If it has never
 * accepted a request, it is not waited for, as when a port was mistyped. The first answer ends the outage. Attempts
 * that fail meanwhile do not count against the bounds of retries, as they do not load a server that works.
 *
 * <p>While it is unreachable one request at a time is sent, a probe. The pause after a probe that fails grows with the
 * time that the outage has lasted, from one second to two, and after 16 s to an eighth of it, at most 10 s. A server
 * that answers that it is overloaded is left to the strategy, which learns from such answers, but a pause is not longer
 * either: its end is to be noticed soon.
 *
 * <p>Each call waits for an outage for a limited time, {@code overloadWait}, which counts from the first failure. A
 * call to an unreachable server that was sent before is then sent once more, whatever the pauses, so that its caller
 * gets the last answer. Guarded by the engine's lock, except for the last refusal.
 */
final class Outage {

    static final String REASON = "overload";

    private static final int IN_A_ROW = 3;
    private static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long USUAL_PAUSE_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();
    /** While the server is overloaded, for the sake of a strategy that waits longer; most spread their own probes. */
    private static final long OVERLOAD_PAUSE_NANOS = Duration.ofSeconds(9).toNanos();

    private static final int PAUSE_PART = 8;
    /** The pauses of many clients are spread by so much of their length. */
    private static final double SPREAD = 0.2;

    /** How long a call waits for a server that does not answer, unless it is told otherwise. */
    private static final long UNREACHABLE_WAIT_NANOS = Duration.ofSeconds(30).toNanos();

    private static final Wait UNTIL_PROBED = new Wait(Wait.UNTIL_SIGNAL, REASON);

    private final BooleanSupplier hasAnswered;
    private final LongPredicate isQuotaUsedUp;
    private final RandomGenerator random;
    private @Nullable Duration overloadWait;

    /** Attempts that have failed since the last answer. */
    private int inARow;

    /** Whether one of them met an overload. */
    private boolean overloaded;

    private boolean away;
    /** Whether the server had answered before. */
    private boolean known;
    /** When the first of the attempts failed. */
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

    private volatile @Nullable LastRefusal last;

    /**
     * Makes it.
     *
     * @param hasAnswered whether the server has ever accepted a request or told of a quota
     * @param isQuotaUsedUp whether it has told of a quota that is used up at a time
     */
    Outage(
            @Nullable Duration overloadWait,
            BooleanSupplier hasAnswered,
            LongPredicate isQuotaUsedUp,
            RandomGenerator random) {
        this.overloadWait = overloadWait;
        this.hasAnswered = hasAnswered;
        this.isQuotaUsedUp = isQuotaUsedUp;
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

    /** {@return whether nothing succeeds any more} */
    boolean isAway() {
        return away;
    }

    /** {@return whether only probes are sent} */
    boolean isProbed() {
        return away && unreachable && known;
    }

    /**
     * {@return the attempt that was refused last, or that got no answer; null if there was none} Any thread may ask.
     */
    @Nullable LastRefusal last() {
        return last;
    }

    /** {@return how long the outage has lasted} */
    long lastedNanos(long now) {
        return now - since;
    }

    /** A request is sent. */
    void admitted(long permitId, long now) {
        if (away) {
            probe = permitId;
            probing = true;
            probedAt = now;
        }
    }

    /**
     * An attempt has ended.
     *
     * @param status the status of the answer; 0 if it had none, or if it is not known
     * @return whether calls may now wait for a longer or shorter time
     */
    boolean learn(Outcome outcome, int status, long permitId, long now) {
        boolean wasAway = away;
        boolean wasProbed = isProbed();
        boolean isProbe = probing && permitId == probe;
        if (isProbe) {
            probing = false;
        }
        if (outcome.isRefusal() || outcome == Outcome.UNREACHABLE) {
            last = new LastRefusal(outcome, status, now);
        }
        switch (outcome) {
            case SUCCESS, RATE_LIMITED, DENIED -> {
                inARow = 0;
                overloaded = false;
                away = false;
                probing = false;
            }
            case BUSY, UNREACHABLE -> failed(outcome, now);
            case FAILED -> {}
            case IGNORED, CANCELLED -> {
                if (isProbe) {
                    probeAt = now; // it tells nothing, and the next one may go
                }
                return false;
            }
        }
        boolean changed = away != wasAway || isProbed() != wasProbed;
        if (isProbe || (changed && away)) {
            probeAt = now + pauseNanos(now);
        }
        return changed;
    }

    private void failed(Outcome outcome, long now) {
        boolean isFirst = inARow == 0;
        if (outcome == Outcome.UNREACHABLE && (isFirst || !unreachable)) {
            unreachableSince = now;
        }
        if (isFirst) {
            since = now;
        }
        unreachable = outcome == Outcome.UNREACHABLE;
        overloaded |= !unreachable;
        inARow++;
        if (!away && inARow >= IN_A_ROW) {
            known = hasAnswered.getAsBoolean();
            away = known || overloaded;
            count += away ? 1 : 0;
        }
    }

    private long pauseNanos(long now) {
        if (!unreachable) {
            return OVERLOAD_PAUSE_NANOS;
        }
        long lasted = lastedNanos(now);
        long longest = Math.max(USUAL_PAUSE_NANOS, Math.min(LONGEST_PAUSE_NANOS, lasted / PAUSE_PART));
        long pause = Math.max(FIRST_PAUSE_NANOS, Math.min(longest, lasted));
        return (long) (pause * (1 - SPREAD * random.nextDouble()));
    }

    /**
     * {@return a wait of a strategy that learns, as it is while the server is overloaded} The strategy waits for the
     * server then, unless a quota is used up. What only a signal can end is a limit of another kind.
     */
    Wait bound(Wait wait, long now) {
        if (!overloaded || wait.isOver() || wait.isUntilSignal() || isQuotaUsedUp.test(now)) {
            return wait;
        }
        return Wait.of(away ? Math.min(wait.nanos(), untilNextProbeNanos(now)) : wait.nanos(), REASON);
    }

    /** {@return when the next request is to ask at the latest} */
    private long untilNextProbeNanos(long now) {
        return probing ? probedAt + LONGEST_PAUSE_NANOS - now : probeAt - now;
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
        return isProbed() ? untilNextProbeNanos(now) : Waiter.NEVER;
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
        return away && known && (call.outage() == 0 || call.outage() == count) && leftNanos(call, now) > 0;
    }

    /** {@return how long a call may go on waiting for the server; {@link Waiter#NEVER} if the outage sets no bound} */
    long leftNanos(CallState call, long now) {
        Duration own = call.options().overloadWait();
        Duration ofAll = overloadWait == null ? call.callerOverloadWait() : overloadWait;
        Duration bound = own == null ? ofAll : own;
        if (!away || (bound == null && !unreachable)) {
            return Waiter.NEVER;
        }
        long most = bound == null ? UNREACHABLE_WAIT_NANOS : Nanos.of(bound);
        long from = bound == null ? unreachableSince : since;
        long began = call.arrivedAt() - from > 0 ? call.arrivedAt() : from;
        return Math.max(0, most - (now - began));
    }
}
