package dev.throttle.engine;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.internal.DurationText;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.time.Instant;

/** Says in words why a call was not let go. */
final class Rejections {

    static final String QUEUE_FULL = "queue-full";

    private final String throttle;
    private final String label;
    private final TimeSource time;

    Rejections(String name, String label, TimeSource time) {
        this.throttle = "Throttle \"" + name + "\"" + (label.equals(name) ? "" : " (" + label + ")") + ": ";
        this.label = label;
        this.time = time;
    }

    /** A guard refused the call, and will go on to do so for a time, if that is known. */
    ThrottleRejectedException byGuard(CallState call, Wait refuses, long maxWaitNanos, long now) {
        Duration left = Duration.ofNanos(refuses.nanos());
        String message = "refused by the " + refuses.reason()
                + (left.isZero() ? "" : ", which refuses calls for another " + DurationText.spoken(left));
        Duration allowed = Duration.ofNanos(call.maxWaitNanos(maxWaitNanos)).minusNanos(call.waitedNanos());
        Duration needed = left.plusNanos(Math.max(0, call.sleptNanos(now)));
        return rejection(call, message, refuses.reason(), needed, allowed, left);
    }

    /** The queue is full. */
    ThrottleRejectedException queueFull(CallState call, int waiting, long neededNanos, long allowedNanos, long now) {
        Duration needed = Duration.ofNanos(neededNanos);
        String message = waiting == 0 ? "nobody may wait, and the call would have to" : waiting + " calls wait already";
        return rejection(
                call, message, QUEUE_FULL, needed, Duration.ofNanos(allowedNanos), fromNow(call, neededNanos, now));
    }

    /** The call would have to wait for longer than it may, or than a limit accepts. */
    ThrottleRejectedException tooLong(CallState call, Refusal refusal, long maxWaitNanos, long now) {
        Duration needed = Duration.ofNanos(refusal.neededNanos());
        Duration allowed = Duration.ofNanos(refusal.allowedNanos());
        Duration maxWait = Duration.ofNanos(call.maxWaitNanos(maxWaitNanos));
        String bound;
        if (refusal.byLimit()) {
            bound = "the limit accepts a wait of " + DurationText.spoken(allowed) + " at most";
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
        return rejection(call, message, refusal.reason(), needed, allowed, fromNow(call, refusal.neededNanos(), now));
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

    private static Duration fromNow(CallState call, long neededNanos, long now) {
        return Duration.ofNanos(Math.max(0, neededNanos - call.sleptNanos(now)));
    }

    private ThrottleRejectedException rejection(
            CallState call, String message, String reason, Duration needed, Duration allowed, Duration fromNow) {
        Integer lastStatus = call.lastStatus();
        Instant retryAt = Instant.ofEpochMilli(time.currentTimeMillis()).plus(fromNow);
        String all = throttle + message + (lastStatus == null ? "" : "; the last answer was " + lastStatus);
        return new ThrottleRejectedException(all, label, reason, needed, allowed, retryAt, lastStatus);
    }
}
