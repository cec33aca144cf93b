package dev.throttle.engine;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;

/** Turns calls away: says in words why a call was not let go, counts it, and tells everybody. */
final class Rejections {

    static final String QUEUE_FULL = "queue-full";
    static final String DROPPED = "dropped";

    private final String label;
    private final EngineState state;
    private final LongAdder rejected;

    Rejections(EngineState state, String label, LongAdder rejected) {
        this.state = state;
        this.label = label;
        this.rejected = rejected;
    }

    private int maxWaiting() {
        return state.config.policy().maxWaiting();
    }

    /** The call may not wait. */
    ThrottleRejectedException reject(CallState call, Refusal refusal) {
        return switch (refusal.reason()) {
            case QUEUE_FULL -> queueFull(call, refusal);
            case RunState.CLOSED -> rejection(call, "the throttle is closed", refusal);
            case RunState.DRAINING -> rejection(call, "the throttle is draining and takes no new calls", refusal);
            case DROPPED ->
                rejection(
                        call,
                        "the queue is full (maxWaiting is " + maxWaiting() + "), and a later call took the place",
                        refusal);
            default -> tooLong(call, refusal);
        };
    }

    /** The call's client turns it away for a reason that the throttle does not know. */
    ThrottleRejectedException reject(CallState call, String reason) {
        long left = call.leftNanos(state.maxWaitNanos());
        long needed = Math.max(left, call.waitingNanos(state.now()));
        return reject(call, new Refusal(needed, left, reason, false));
    }

    /** A guard refused the call, and will go on to do so for a time, if that is known. */
    ThrottleRejectedException byGuard(CallState call, Wait refuses) {
        Duration left = Duration.ofNanos(refuses.nanos());
        String message = "refused by the " + refuses.reason()
                + (left.isZero() ? "" : ", which refuses calls for another " + DurationText.spoken(left));
        Duration allowed =
                Duration.ofNanos(call.maxWaitNanos(state.maxWaitNanos())).minusNanos(call.waitedNanos());
        Duration needed = left.plusNanos(Math.max(0, call.sleptNanos(state.now())));
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
        Duration maxWait = Duration.ofNanos(call.maxWaitNanos(state.maxWaitNanos()));
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

    /**
     * Why a call may not wait.
     *
     * @param neededNanos the wait it would need, as far as it is known
     * @param allowedNanos the wait it may have
     * @param reason what it would wait for
     * @param byLimit whether it is a limit that does not accept such a wait, not the call
     */
    record Refusal(long neededNanos, long allowedNanos, String reason, boolean byLimit) {}

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
        long fromNow = Math.max(0, refusal.neededNanos() - call.sleptNanos(state.now()));
        return rejection(call, message, refusal.reason(), needed, allowed, Duration.ofNanos(fromNow));
    }

    private ThrottleRejectedException rejection(
            CallState call, String message, String reason, Duration needed, Duration allowed, Duration fromNow) {
        Integer lastStatus = call.lastStatus();
        Instant retryAt = Instant.ofEpochMilli(state.time.currentTimeMillis()).plus(fromNow);
        String all = state.log.throttle() + message + (lastStatus == null ? "" : "; the last answer was " + lastStatus);
        ThrottleRejectedException rejection =
                new ThrottleRejectedException(all, label, reason, needed, allowed, retryAt, lastStatus);
        rejected.increment();
        state.log.turnedAway(rejection, state.now());
        state.events.onRejected(rejection);
        return rejection;
    }
}
