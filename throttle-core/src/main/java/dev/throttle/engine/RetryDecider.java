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
     * Decides about an attempt that has ended. A retry that the call has reserved is used if there is one to be made;
     * otherwise the caller gives it back.
     *
     * @param call whose attempt it was
     * @param facts what is known about it
     * @param admitted requests let go in the last ten seconds, retries included
     * @param now the time it ended
     */
    RetryDecision decide(CallState call, RetryFacts facts, long admitted, long now) {
        RetryDecision decision = rules.decide(facts);
        if (!decision.isRetry() || !isBudgeted(facts)) {
            return decision;
        }
        boolean isAllowed = call.useReserved() || budget.tryWithdraw(admitted, now);
        return isAllowed ? decision : StopReason.BUDGET.decision();
    }

    /**
     * {@return whether it would be decided to repeat an attempt} If so the budget's share is reserved: of many calls
     * that ask at once no more hear a yes than there are retries left.
     */
    boolean foretell(CallState call, RetryFacts facts, long admitted, long now) {
        if (!rules.decide(facts).isRetry()) {
            return false;
        }
        if (!isBudgeted(facts) || call.hasReserved()) {
            return true;
        }
        RetryBudget.Reservation reserved = budget.tryReserve(admitted, now);
        call.reserved(reserved);
        return reserved != null;
    }

    private static boolean isBudgeted(RetryFacts facts) {
        return facts.outcome() != Outcome.RATE_LIMITED;
    }
}
