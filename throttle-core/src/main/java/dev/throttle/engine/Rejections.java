package dev.throttle.engine;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.DurationText;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Rejects calls: makes the exception, with the reason in words, counts it, and tells the log and the listeners. */
final class Rejections {

    private final String label;
    private final TimeSource time;
    private final Supplier<EnginePolicy> policy;
    private final EngineLog log;
    private final LongAdder rejected;
    private final BiConsumer<CallState, ThrottleRejectedException> listeners;

    /**
     * Makes it.
     *
     * @param label the key as it is shown
     * @param policy gives the settings that hold now
     * @param rejected counts the rejections
     * @param listeners receive each of them
     */
    Rejections(
            String label,
            TimeSource time,
            Supplier<EnginePolicy> policy,
            EngineLog log,
            LongAdder rejected,
            BiConsumer<CallState, ThrottleRejectedException> listeners) {
        this.label = label;
        this.time = time;
        this.policy = policy;
        this.log = log;
        this.rejected = rejected;
        this.listeners = listeners;
    }

    private int maxWaiting() {
        return policy.get().maxWaiting();
    }

    private long maxWaitNanos() {
        return policy.get().maxWaitNanos();
    }

    /** The call may not wait. */
    ThrottleRejectedException reject(CallState call, Refusal refusal) {
        return switch (refusal.reason()) {
            case Refusal.QUEUE_FULL -> queueFull(call, refusal);
            case RunState.CLOSED -> rejection(call, "the throttle is closed", refusal);
            case RunState.DRAINING -> rejection(call, "the throttle is draining and takes no new calls", refusal);
            case Refusal.DROPPED ->
                rejection(
                        call,
                        "the queue is full (maxWaiting is " + maxWaiting() + "), and a later call took the place",
                        refusal);
            case Outage.REASON ->
                rejection(
                        call,
                        "the server is away (overload), and the call has waited for it as long as overloadWait allows",
                        refusal);
            default -> tooLong(call, refusal);
        };
    }

    /** The call's client turns it away for a reason that the throttle does not know. */
    ThrottleRejectedException reject(CallState call, String reason) {
        long left = call.leftNanos(maxWaitNanos());
        long needed = Math.max(left, call.waitingNanos(time.nanoTime()));
        return reject(call, new Refusal(needed, left, reason, false));
    }

    /** A guard refused the call, and will go on to do so for a time, if that is known. */
    ThrottleRejectedException byGuard(CallState call, Wait refuses) {
        Duration left = Duration.ofNanos(refuses.nanos());
        String message = "refused by the " + refuses.reason()
                + (left.isZero() ? "" : ", which refuses calls for another " + DurationText.spoken(left));
        Duration allowed = Duration.ofNanos(call.maxWaitNanos(maxWaitNanos())).minusNanos(call.waitedNanos());
        Duration needed = left.plusNanos(Math.max(0, call.sleptNanos(time.nanoTime())));
        return rejection(call, message, refuses.reason(), needed, allowed, left);
    }

    private ThrottleRejectedException queueFull(CallState call, Refusal refusal) {
        String message = maxWaiting() == 0
                ? "the call would have to wait, but maxWaiting is 0"
                : "the queue is full (maxWaiting is " + maxWaiting() + ")";
        return rejection(call, message, refusal);
    }

    /** The call would have to wait for longer than it may, or than a limit accepts. */
    private ThrottleRejectedException tooLong(CallState call, Refusal refusal) {
        Duration needed = Duration.ofNanos(refusal.neededNanos());
        Duration allowed = Duration.ofNanos(refusal.allowedNanos());
        Duration maxWait = Duration.ofNanos(call.maxWaitNanos(maxWaitNanos()));
        String bound;
        if (refusal.byLimit()) {
            bound = "the limit accepts a wait of at most " + DurationText.spoken(allowed);
        } else if (allowed.equals(maxWait)) {
            bound = "maxWait is " + DurationText.spoken(maxWait);
        } else {
            bound = "only " + DurationText.spoken(allowed) + " of its maxWait of " + DurationText.spoken(maxWait)
                    + " are left";
        }
        String message = (needed.compareTo(allowed) > 0
                        ? "the call would have to wait " + DurationText.spoken(needed)
                        : "the call would have to wait longer")
                + (refusal.reason().isEmpty() ? "" : " (" + word(refusal.reason()) + ")")
                + ", but " + bound;
        return rejection(call, message, refusal);
    }

    private static String word(String reason) {
        return switch (reason) {
            case Gate.RETRY_AFTER -> "Retry-After";
            case Gate.QUOTA_RESET -> "quota reset";
            default -> reason;
        };
    }

    private ThrottleRejectedException rejection(CallState call, String message, Refusal refusal) {
        Duration needed = Duration.ofNanos(refusal.neededNanos());
        Duration allowed = Duration.ofNanos(refusal.allowedNanos());
        long fromNow = Math.max(0, refusal.neededNanos() - call.sleptNanos(time.nanoTime()));
        return rejection(call, message, refusal.reason(), needed, allowed, Duration.ofNanos(fromNow));
    }

    private ThrottleRejectedException rejection(
            CallState call, String message, String reason, Duration needed, Duration allowed, Duration fromNow) {
        Integer lastStatus = call.lastStatus();
        Instant retryAt = Instant.ofEpochMilli(time.currentTimeMillis()).plus(fromNow);
        String all = log.throttle() + message + (lastStatus == null ? "" : "; the last answer was " + lastStatus);
        ThrottleRejectedException rejection =
                new ThrottleRejectedException(all, label, reason, needed, allowed, retryAt, lastStatus);
        rejected.increment();
        log.turnedAway(rejection, time.nanoTime());
        listeners.accept(call, rejection);
        return rejection;
    }
}
