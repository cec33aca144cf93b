package dev.throttle.engine;

import dev.throttle.engine.Rejections.Refusal;
import dev.throttle.internal.Nanos;
import dev.throttle.signal.Cost;
import org.jspecify.annotations.Nullable;

/** Tells which calls need not begin to wait, because they could not wait long enough. Guarded by the engine's lock. */
final class Patience {

    private final EngineState state;

    Patience(EngineState state) {
        this.state = state;
    }

    /**
     * {@return why a call is turned away on arrival; null if it may wait}
     *
     * @param wait the least wait that it has, as far as it is known
     */
    @Nullable Refusal refuseInAdvance(CallState call, Wait wait, long now) {
        AdmissionQueue queue = state.queue;
        long soFar = call.sleptNanos(now);
        long left = call.leftNanos(state.maxWaitNanos());
        String refusal = state.run.refusal(call);
        if (refusal != null) {
            return new Refusal(soFar, left, refusal, false);
        }
        Cost ahead = call.isRetry() ? Cost.NONE : queue.queue().costAhead(call.priority());
        Wait known = queue.obstacles().known(call, wait, ahead, now);
        long needed = Nanos.plus(soFar, known.knownNanos());
        if (queue.room().isFullFor(call)) {
            return new Refusal(needed, left, Rejections.QUEUE_FULL, false);
        }
        if (!known.isOver() && known.nanos() > left - soFar) {
            return new Refusal(needed, left, known.reason(), false);
        }
        if (wait.isUntilSignal() && left <= soFar) {
            return new Refusal(needed, left, wait.reason(), false);
        }
        Wait limit = queue.turnsAway(call, now);
        return limit == null ? null : new Refusal(needed, limit.nanos(), limit.reason(), true);
    }
}
