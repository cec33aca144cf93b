package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleState;
import dev.throttle.signal.Cost;

/** Tells how long a call would have to wait, and why, and takes nothing. */
public final class Foresight {

    private final EngineState state;

    /**
     * What a newcomer meets.
     *
     * @param state whether calls are let go
     * @param atLeastNanos the least wait that it would have, as far as it is known
     * @param reason what it would wait for or be turned away for; empty if it would go at once
     * @param headReason what the first in line waits for; empty if nobody stands in line
     * @param headLeftNanos how long the first in line has to wait still, as far as it is known
     * @param headWaitedNanos how long it has waited so far
     * @param waiting callers in the queue
     * @param inFlight requests on the wire
     */
    public record Outlook(
            ThrottleState state,
            long atLeastNanos,
            String reason,
            String headReason,
            long headLeftNanos,
            long headWaitedNanos,
            int waiting,
            int inFlight) {}

    Foresight(EngineState state) {
        this.state = state;
    }

    /** {@return what a call with these options would meet if it came now} */
    public Outlook outlook(CallOptions options) {
        Outlook[] seen = new Outlook[1];
        state.underLock(now -> {
            state.queue.drain(now);
            seen[0] = look(options, now);
        });
        return seen[0];
    }

    private Outlook look(CallOptions options, long now) {
        WaitQueue queue = state.queue.queue();
        CallState call = new CallState(options, now);
        call.cost(state.estimator.resolve(options));
        Cost ahead = queue.costAhead(options.priority());
        Wait wait = state.queue.obstacles().waitOf(call, ahead, now);
        Wait head = state.queue.lineWait();
        Waiter first = queue.head(now);
        if (first != null) {
            wait = wait.longer(head);
        }
        long known = state.queue.obstacles().known(call, wait, ahead, now).knownNanos();
        String refusal = state.run.refusal(call);
        String reason = wait.isOver() ? "" : wait.reason();
        if (refusal != null) {
            reason = refusal;
        } else if (!wait.isOver() && queue.size() >= state.config.policy().maxWaiting()) {
            reason = Rejections.QUEUE_FULL;
        }
        return new Outlook(
                state.run.shown(),
                refusal == null ? known : 0,
                reason,
                first == null ? "" : head.reason(),
                first == null ? 0 : head.knownNanos(),
                first == null ? 0 : now - first.arrivedAt,
                queue.size(),
                state.traffic.inFlight());
    }
}
