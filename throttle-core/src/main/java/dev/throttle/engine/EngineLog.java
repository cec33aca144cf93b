package dev.throttle.engine;

import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.ThrottleState;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Seldom;
import dev.throttle.retry.RetryDecision;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

/**
 * Says in the log what an engine does. Warnings and news come once a minute at most, each kind for itself; details are
 * for debugging, and cost nothing while that is off. To be called outside of the engine's lock, unless it says
 * otherwise.
 */
final class EngineLog {

    private static final Logger LOG = LoggerFactory.getLogger("dev.throttle.Throttle");

    /** A key that is held back for longer than this is news. */
    private static final long LONG_NANOS = Duration.ofSeconds(10).toNanos();

    private final Logger log;
    private final String throttle;
    private final Seldom turnedAway = new Seldom();
    private final AtomicBoolean hasRefused = new AtomicBoolean();
    private final FirstRefusals firstRefusals;
    private final Seldom denied = new Seldom();
    private final Spell heldBack = new Spell();
    private final Spell away = new Spell();

    /** Something that lasts, of which the end is told if the beginning was. Guarded by the engine's lock. */
    private static final class Spell {

        private final Seldom seldom = new Seldom();
        private boolean lasts;
        private boolean isTold;
        private long since;

        /** {@return what to say; null if such a thing was told within the last minute} */
        @Nullable Runnable begin(long at, Runnable message, long now) {
            lasts = true;
            since = at;
            isTold = LOG.isInfoEnabled() && seldom.tryNow(now) >= 0;
            return isTold ? message : null;
        }

        /** {@return what to say with how long it has lasted; null if the beginning was not told} */
        @Nullable Runnable end(Consumer<String> message, long now) {
            lasts = false;
            long lasted = now - since;
            return isTold ? () -> message.accept(spoken(lasted)) : null;
        }
    }

    EngineLog(String name, String label, FirstRefusals firstRefusals, boolean logs) {
        this.log = logs ? LOG : NOPLogger.NOP_LOGGER;
        this.firstRefusals = firstRefusals;
        this.throttle = "Throttle \"" + name + "\"" + (label.equals(name) ? "" : " (" + label + ")") + ": ";
    }

    /** {@return the throttle, as the beginning of a message} */
    String throttle() {
        return throttle;
    }

    /** An attempt has to wait. */
    void waits(CallState call, Wait wait) {
        if (log.isDebugEnabled()) {
            String time = wait.isUntilSignal() ? "" : "at least " + spoken(wait.knownNanos()) + " ";
            log.debug("{}attempt {} waits {}({})", throttle, call.attempts() + 1, time, wait.reason());
        }
    }

    /** An attempt goes that had to wait. */
    void waited(Waiter waiter) {
        if (log.isDebugEnabled()) {
            String time = spoken(waiter.waitNanos);
            log.debug("{}attempt {} proceeds after {} ({})", throttle, waiter.call.attempts(), time, waiter.reason);
        }
    }

    /** A call was turned away. */
    void turnedAway(ThrottleRejectedException rejection, long now) {
        if (log.isWarnEnabled()) {
            long before = turnedAway.tryNow(now);
            if (before > 0) {
                log.warn(
                        "{} ({} more calls were rejected since the last such message)", rejection.getMessage(), before);
            } else if (before == 0) {
                log.warn("{}", rejection.getMessage());
            } else {
                log.debug("{}", rejection.getMessage());
            }
        }
    }

    /** An attempt was refused or failed, and it was decided what becomes of its request. */
    void refused(int attempt, Signal signal, int status, RetryDecision decision, long now) {
        if (signal.outcome() == Outcome.DENIED && log.isWarnEnabled() && denied.tryNow(now) >= 0) {
            log.warn("{}{}", throttle, denial(Learning.heard(signal).hints()));
        }
        long before = firstRefusal(signal, now);
        if (before >= 0) {
            String what = text(signal, status);
            log.info("{}first refusal: attempt {} {}; {}{}", throttle, attempt, what, text(decision), others(before));
        } else if (log.isDebugEnabled()) {
            log.debug("{}attempt {} {}; {}", throttle, attempt, text(signal, status), text(decision));
        }
    }

    /** An attempt that is not repeated was refused or failed. */
    void refused(Signal signal, long now) {
        long before = firstRefusal(signal, now);
        if (before >= 0) {
            log.info("{}first refusal: an attempt {}{}", throttle, text(signal, 0), others(before));
        } else if (log.isDebugEnabled()) {
            log.debug("{}an attempt {}", throttle, text(signal, 0));
        }
    }

    /**
     * {@return how many first refusals of other keys were not told before this one; negative if it is not to be told}
     */
    private long firstRefusal(Signal signal, long now) {
        boolean isFirst = signal.outcome().isRefusal() && !hasRefused.get() && !hasRefused.getAndSet(true);
        return isFirst && log.isInfoEnabled() ? firstRefusals.tryNow(now) : -1;
    }

    private static String others(long before) {
        return before == 0 ? "" : " (" + before + " more keys had theirs since the last such message)";
    }

    /** {@return what a caller can do about a refusal that no wait mends} */
    private static String denial(RateHints hints) {
        Demand demand = hints.demand();
        if (demand != null) {
            return Ceilings.text(demand);
        }
        Duration wait = hints.refusalWait();
        return wait == null
                ? "the server has refused a request for a reason that no wait resolves; its response says more"
                : "the quota " + String.join(", ", hints.blamed()) + " is used up for another "
                        + DurationText.spoken(wait);
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

    /** Calls were watched for another hour. */
    void observed(Recording recording, long now) {
        Recording.Content counted = recording.counts();
        log.info(
                "{}observed {} calls in {}, of which the server has refused {}; the report says what would have changed",
                throttle,
                counted.calls(),
                spoken(now - counted.since()),
                counted.refusals());
    }

    /** The program has changed the mode. */
    void changed(ThrottleMode mode) {
        switch (mode) {
            case ENFORCE -> log.info("{}enforcing from now on", throttle);
            case OBSERVE -> log.info("{}observing: no call waits, is retried or is rejected", throttle);
        }
    }

    /** The program has paused, resumed, drained or closed the throttle. */
    void changed(ThrottleState state) {
        switch (state) {
            case RUNNING -> log.info("{}running again: no longer paused or draining", throttle);
            case PAUSED -> log.info("{}paused: no requests are sent", throttle);
            case DRAINING -> log.info("{}draining: no new calls are taken", throttle);
            case CLOSED -> log.info("{}closed", throttle);
        }
    }

    /**
     * Compares whether the server is away with what it was; under the engine's lock.
     *
     * @return what to say when the lock is free; null for nothing
     */
    @Nullable Runnable follow(Outage outage, long now) {
        boolean isAway = outage.isAway();
        if (isAway == away.lasts) {
            return null;
        }
        LastRefusal last = outage.last();
        String why = last != null && last.explains(Outage.REASON) ? "; " + last.text() : "";
        return isAway
                ? away.begin(
                        now - outage.lastedNanos(now),
                        () -> log.info("{}the server is away (overload){}", throttle, why),
                        now)
                : away.end(lasted -> log.info("{}the server answers again, after {}", throttle, lasted), now);
    }

    /**
     * Compares what the key is held back by with what it was; under the engine's lock.
     *
     * @return what to say when the lock is free; null for nothing
     */
    @Nullable Runnable follow(Admission admission, long now) {
        Wait wait = admission.heldBy(now);
        if (!heldBack.lasts && !wait.isUntilSignal() && wait.nanos() > LONG_NANOS) {
            String time = spoken(wait.nanos());
            String quota = admission.quotaHolding(wait.reason(), now);
            String why = wait.reason() + (quota == null ? "" : ", quota " + quota);
            return heldBack.begin(now, () -> log.info("{}held back for {} ({})", throttle, time, why), now);
        }
        return heldBack.lasts && wait.isOver()
                ? heldBack.end(lasted -> log.info("{}no longer held back, after {}", throttle, lasted), now)
                : null;
    }
}
