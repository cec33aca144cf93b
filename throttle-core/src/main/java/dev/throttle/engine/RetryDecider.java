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
        this.rules = rules;
        this.budget = new RetryBudget(rules, now);
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
        return decision.isRetry() && isBudgeted(facts) && !budget.tryWithdraw(admitted, now)
                ? StopReason.BUDGET.decision()
                : decision;
    }

    /** {@return whether it would be decided to repeat an attempt} */
    boolean foretell(RetryFacts facts, long admitted, long now) {
        return rules.decide(facts).isRetry() && (!isBudgeted(facts) || budget.allows(admitted, now));
    }

    private static boolean isBudgeted(RetryFacts facts) {
        return facts.outcome() != Outcome.RATE_LIMITED;
    }
}
