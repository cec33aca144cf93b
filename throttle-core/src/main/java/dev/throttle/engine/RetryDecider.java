package dev.throttle.engine;

import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.retry.decision.RetryRules;
import dev.throttle.signal.Outcome;

/**
 * Decides whether an attempt is repeated: the policy, and the budget of all calls. Thread-safe. The policy's backoff
 * may be the user's: nothing here is called under the engine's lock.
 */
final class RetryDecider {

    private final RetryRules rules;
    private final RetryBudget budget;

    RetryDecider(RetryRules rules, long now) {
        this(rules, new RetryBudget(rules, now));
    }

    private RetryDecider(RetryRules rules, RetryBudget budget) {
        this.rules = rules;
        this.budget = budget;
    }

    /** {@return what decides by other rules from now on, in which the retries made so far count} */
    RetryDecider with(RetryRules next) {
        budget.follow(next);
        return new RetryDecider(next, budget);
    }

    /**
     * Decides about an attempt that has ended.
     *
     * @param facts what is known about it
     * @param admitted requests let go in the last ten seconds, retries included
     * @param now the time it ended
     */
    RetryDecision decide(RetryFacts facts, long admitted, long now) {
        RetryDecision decision = rules.decide(facts);
        if (!decision.isRetry() || !isBudgeted(facts)) {
            return decision;
        }
        return budget.tryWithdraw(admitted, now) ? decision : StopReason.BUDGET.decision();
    }

    private static boolean isBudgeted(RetryFacts facts) {
        return facts.outcome() != Outcome.RATE_LIMITED && !facts.away();
    }
}
