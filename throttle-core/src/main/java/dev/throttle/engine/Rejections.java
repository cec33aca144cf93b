package dev.throttle.engine;

import dev.throttle.ThrottleRejectedException;
import dev.throttle.engine.Refusal.Bound;
import dev.throttle.internal.DurationText;
import dev.throttle.signal.Demand;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Rejects calls: makes the exception, with the reason in words, counts it, and tells the log and the listeners. */
final class Rejections {

    private final String label;
    private final TimeSource time;
    private final Supplier<EnginePolicy> policy;
    private final BooleanSupplier isEnding;
    private final EngineLog log;
    private final Supplier<@Nullable LastRefusal> lastOfKey;
    private final LongAdder rejected;
    private final BiConsumer<CallState, ThrottleRejectedException> listeners;

    /**
     * Makes it.
     *
     * @param label the key as it is shown
     * @param policy gives the settings that hold now
     * @param isEnding whether waits have to be over by an instant, as the program ends
     * @param lastOfKey gives the last refusal of any call of the key
     * @param rejected counts the rejections
     * @param listeners receive each of them
     */
    Rejections(
            String label,
            TimeSource time,
            Supplier<EnginePolicy> policy,
            BooleanSupplier isEnding,
            EngineLog log,
            Supplier<@Nullable LastRefusal> lastOfKey,
            LongAdder rejected,
            BiConsumer<CallState, ThrottleRejectedException> listeners) {
        this.label = label;
        this.time = time;
        this.policy = policy;
        this.isEnding = isEnding;
        this.log = log;
        this.lastOfKey = lastOfKey;
        this.rejected = rejected;
        this.listeners = listeners;
    }

    private long maxWaitNanos() {
        return policy.get().maxWaitNanos();
    }

    /** The call may not wait. */
    ThrottleRejectedException reject(CallState call, Refusal refusal) {
        Duration needed = Duration.ofNanos(refusal.neededNanos());
        Duration allowed = Duration.ofNanos(refusal.allowedNanos());
        long fromNow = Math.max(0, refusal.neededNanos() - call.sleptNanos(time.nanoTime()));
        String message = message(call, refusal, needed, allowed);
        return rejection(call, message, refusal.reason(), needed, allowed, Duration.ofNanos(fromNow));
    }

    private String message(CallState call, Refusal refusal, Duration needed, Duration allowed) {
        int places = policy.get().maxWaiting();
        String full = "the queue is full (maxWaiting is " + places + ")";
        if (refusal.bound() == Bound.OVERLOAD_WAIT && refusal.reason().equals(Outage.REASON)) {
            return "the server is away (overload), and the call waits for it for at most "
                    + DurationText.spoken(allowed) + " (overloadWait)";
        }
        return switch (refusal.reason()) {
            case Refusal.QUEUE_FULL -> places == 0 ? "the call would have to wait, but maxWaiting is 0" : full;
            case Refusal.DROPPED -> full + ", and a later call took the place";
            case RunState.CLOSED -> "the throttle is closed";
            case RunState.DRAINING -> "the throttle is draining and takes no new calls";
            default -> {
                String wait = needed.compareTo(allowed) > 0 ? DurationText.spoken(needed) : "longer";
                yield "the call would have to wait " + wait
                        + (refusal.reason().isEmpty() ? "" : " (" + refusal.reason() + quota(refusal) + ")")
                        + ", but " + bound(call, refusal, allowed);
            }
        };
    }

    /** {@return what does not accept the wait of a call} */
    private String bound(CallState call, Refusal refusal, Duration allowed) {
        String accepted = DurationText.spoken(allowed);
        if (refusal.bound() == Bound.LIMIT) {
            return "the limit accepts a wait of at most " + accepted;
        }
        if (refusal.bound() == Bound.OVERLOAD_WAIT) {
            return "overloadWait is " + accepted;
        }
        Duration maxWait = Duration.ofNanos(call.maxWaitNanos(maxWaitNanos()));
        if (isEnding.getAsBoolean() && allowed.compareTo(maxWait) < 0) {
            return "all waits have to end before that, as the program ends";
        }
        return allowed.equals(maxWait)
                ? "maxWait is " + accepted
                : "only " + accepted + " of its maxWait of " + DurationText.spoken(maxWait) + " are left";
    }

    private static String quota(Refusal refusal) {
        return refusal.quota() == null ? "" : ", quota " + refusal.quota();
    }

    /** The call's client turns it away for a reason that the throttle does not know. */
    ThrottleRejectedException reject(CallState call, String reason) {
        long left = call.leftNanos(maxWaitNanos());
        long needed = Math.max(left, call.waitingNanos(time.nanoTime()));
        return reject(call, new Refusal(needed, left, reason, Bound.MAX_WAIT));
    }

    /** The server has said that it never accepts such a request. */
    ThrottleRejectedException tooLarge(CallState call, Demand demand) {
        Duration none = Duration.ZERO;
        return rejection(call, Ceilings.text(demand), Refusal.TOO_LARGE, none, none, none);
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

    private ThrottleRejectedException rejection(
            CallState call, String message, String reason, Duration needed, Duration allowed, Duration fromNow) {
        Integer lastStatus = call.lastStatus();
        String answer = lastStatus == null ? "" : "; the last answer was " + lastStatus;
        LastRefusal last = lastOfKey.get();
        if (last != null && last.explains(reason)) {
            lastStatus = lastStatus == null ? last.status() : lastStatus;
            answer = "; " + last.text(time.nanoTime());
        }
        Instant retryAt = Instant.ofEpochMilli(time.currentTimeMillis()).plus(fromNow);
        String all = log.throttle() + message + answer;
        ThrottleRejectedException rejection =
                new ThrottleRejectedException(all, label, reason, needed, allowed, retryAt, lastStatus);
        rejected.increment();
        log.turnedAway(rejection, time.nanoTime());
        listeners.accept(call, rejection);
        return rejection;
    }
}
