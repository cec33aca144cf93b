package dev.throttle.engine;

import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;

/** Decides whether an attempt is repeated: the policy, and the budget of all calls. Guarded by the engine's lock. */
final class RetryDecider {

    private final RetryPolicy policy;
    private final RetryBudget budget;
    private final InFlightCounter traffic;

    RetryDecider(RetryPolicy policy, InFlightCounter traffic, long now) {
        this.policy = policy;
        this.budget = new RetryBudget(policy, now);
        this.traffic = traffic;
    }

    /**
     * Decides about the attempt that ended last.
     *
     * @param spaced whether the throttle's strategy or the server spaces the attempts of a refused call
     * @param neededNanos the wait that the throttle will demand, as far as it is known
     * @param leftNanos what is left of the wait that the call may spend
     */
    RetryDecision decide(
            CallState call, Signal signal, boolean spaced, long neededNanos, long leftNanos, double draw, long now) {
        if (call.isCancelled()) {
            return StopReason.CANCELLED.decision();
        }
        RetryDecision decision =
                policy.decide(call.facts(signal, policy.maxAttempts(), spaced, neededNanos, leftNanos, draw));
        return decision.isRetry() && isBudgeted(signal) && !budget.tryWithdraw(traffic.inTenSeconds(now), now)
                ? StopReason.BUDGET.decision()
                : decision;
    }

    /** {@return what would be decided, had the attempt under way ended so, and had nobody learned from it} */
    boolean foretell(CallState call, Signal signal, long neededNanos, long leftNanos, long now) {
        return policy.decide(call.foretoldFacts(signal, policy.maxAttempts(), neededNanos, leftNanos))
                        .isRetry()
                && (!isBudgeted(signal) || budget.allows(traffic.inTenSeconds(now), now));
    }

    private static boolean isBudgeted(Signal signal) {
        return signal.outcome() != Outcome.RATE_LIMITED;
    }
}
