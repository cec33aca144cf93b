package dev.throttle.engine;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.ThrottleState;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Seldom;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log what an engine does. Warnings and news come once a minute at most, each kind for itself; details are
 * for debugging, and cost nothing while that is off. To be called outside of the engine's lock, unless it says
 * otherwise.
 */
final class EngineLog {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.Throttle");

    /** A key that is held back for longer than this is news. */
    private static final long LONG_NANOS = Duration.ofSeconds(10).toNanos();

    private final String throttle;
    private final Seldom turnedAway = new Seldom();
    /** Guarded by the engine's lock, as all that follow. */
    private final Seldom heldBack = new Seldom();

    private boolean isHeldBack;
    private boolean isHoldTold;
    private long heldSince;
    private final Seldom away = new Seldom();
    private boolean isAway;
    private boolean isAwayTold;
    private long awaySince;

    EngineLog(String name, String label) {
        this.throttle = "Throttle \"" + name + "\"" + (label.equals(name) ? "" : " (" + label + ")") + ": ";
    }

    /** {@return the throttle, as the beginning of a message} */
    String throttle() {
        return throttle;
    }

    /** An attempt has to wait. */
    void waits(CallState call, Wait wait) {
        if (LOG.isDebugEnabled()) {
            String time = wait.isUntilSignal() ? "" : "at least " + spoken(wait.knownNanos()) + " ";
            LOG.debug("{}attempt {} waits {}({})", throttle, call.attempts() + 1, time, wait.reason());
        }
    }

    /** An attempt goes that had to wait. */
    void waited(Waiter waiter) {
        if (LOG.isDebugEnabled()) {
            String time = spoken(waiter.waitNanos);
            LOG.debug("{}attempt {} proceeds after {} ({})", throttle, waiter.call.attempts(), time, waiter.reason);
        }
    }

    /** A call was turned away. */
    void turnedAway(ThrottleRejectedException rejection, long now) {
        if (LOG.isWarnEnabled()) {
            long before = turnedAway.tryNow(now);
            if (before > 0) {
                LOG.warn(
                        "{} ({} more calls were rejected since the last such message)", rejection.getMessage(), before);
            } else if (before == 0) {
                LOG.warn("{}", rejection.getMessage());
            } else {
                LOG.debug("{}", rejection.getMessage());
            }
        }
    }

    /** An attempt was refused or failed, and it was decided what becomes of its request. */
    void refused(int attempt, Signal signal, int status, RetryDecision decision) {
        if (LOG.isDebugEnabled()) {
            LOG.debug("{}attempt {} {}; {}", throttle, attempt, text(signal, status), text(decision));
        }
    }

    /** An attempt that is not repeated was refused or failed. */
    void refused(Signal signal) {
        if (LOG.isDebugEnabled()) {
            LOG.debug("{}an attempt {}", throttle, text(signal, 0));
        }
    }

    private static String text(Signal signal, int status) {
        RateHints hints = signal.hints();
        Duration asked = hints.refusalWait();
        Outcome outcome = signal.outcome();
        String end = outcome.isRefusal() ? "was refused (" : "failed (";
        return (end + (outcome == Outcome.FAILED ? "no answer" : word(outcome)))
                + (status == 0 ? "" : ", " + status)
                + (asked == null ? "" : ", told to wait " + DurationText.spoken(asked))
                + ")";
    }

    private static String text(RetryDecision decision) {
        if (decision instanceof RetryDecision.Stop stop) {
            return "not retried: " + word(stop.reason());
        }
        Duration backoff = ((RetryDecision.Retry) decision).backoff();
        return "retried" + (backoff.isZero() ? "" : " after " + DurationText.spoken(backoff));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String spoken(long nanos) {
        return DurationText.spoken(Duration.ofNanos(nanos));
    }

    /** The program has paused, resumed, drained or closed the throttle. */
    void changed(ThrottleState state) {
        switch (state) {
            case RUNNING -> LOG.info("{}running again: no longer paused or draining", throttle);
            case PAUSED -> LOG.info("{}paused: no requests are sent", throttle);
            case DRAINING -> LOG.info("{}draining: no new calls are taken", throttle);
            case CLOSED -> LOG.info("{}closed", throttle);
        }
    }

    /**
     * Compares whether the server is away with what it was; under the engine's lock.
     *
     * @return what to say when the lock is free; null for nothing
     */
    @Nullable Runnable follow(Outage outage, long now) {
        if (outage.isProbed() == isAway) {
            return null;
        }
        isAway = !isAway;
        if (isAway) {
            awaySince = now - outage.lastedNanos(now);
            isAwayTold = LOG.isInfoEnabled() && away.tryNow(now) >= 0;
            return isAwayTold
                    ? () -> LOG.info("{}the server is away: calls wait until it answers again", throttle)
                    : null;
        }
        long lasted = now - awaySince;
        return isAwayTold ? () -> LOG.info("{}the server answers again, after {}", throttle, spoken(lasted)) : null;
    }

    /**
     * Compares what the key is held back by with what it was; under the engine's lock.
     *
     * @param wait what all calls wait for
     * @return what to say when the lock is free; null for nothing
     */
    @Nullable Runnable follow(Wait wait, long now) {
        if (!isHeldBack && !wait.isUntilSignal() && wait.nanos() > LONG_NANOS) {
            isHeldBack = true;
            heldSince = now;
            isHoldTold = LOG.isInfoEnabled() && heldBack.tryNow(now) >= 0;
            return isHoldTold
                    ? () -> LOG.info("{}held back for {} ({})", throttle, spoken(wait.nanos()), wait.reason())
                    : null;
        }
        if (isHeldBack && wait.isOver()) {
            isHeldBack = false;
            long lasted = now - heldSince;
            return isHoldTold ? () -> LOG.info("{}no longer held back, after {}", throttle, spoken(lasted)) : null;
        }
        return null;
    }
}
