package dev.throttle.engine;

import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.retry.decision.RetryFacts;
import dev.throttle.retry.decision.RetryRules;
import dev.throttle.signal.Outcome;

/**
 * Bounds the retries of all calls of a throttle to a share of its calls plus a reserve, over the last ten seconds.
 * Thread-safe: it is asked when the engine's lock is free, as the user's backoff has its say before.
 */
final class RetryBudget {

    private static final int SLOTS = 10;
    private static final long SLOT_NANOS = 1_000_000_000;

    private final long[] spent = new long[SLOTS];
    private final long origin;
    private long slot;

    RetryBudget(long now) {
        this.origin = now;
    }

    /**
     * Decides about an attempt that has ended. What is repeated takes from the budget, unless its repetition loads no
     * server that works: after a refusal for a quota, or while the server is away.
     *
     * @param rules the retry policy that holds now
     * @param facts what is known about the attempt
     * @param admitted requests let go in the last ten seconds, retries included
     * @param now the time it ended
     */
    RetryDecision decide(RetryRules rules, RetryFacts facts, long admitted, long now) {
        RetryDecision decision = rules.decide(facts);
        boolean isFree = facts.outcome() == Outcome.RATE_LIMITED || facts.away();
        return !decision.isRetry() || isFree || tryWithdraw(rules, admitted, now)
                ? decision
                : StopReason.BUDGET.decision();
    }

    /** Takes one retry; {@return false if the budget is used up} */
    synchronized boolean tryWithdraw(RetryRules rules, long admitted, long now) {
        roll((now - origin) / SLOT_NANOS);
        long retries = 0;
        for (long count : spent) {
            retries += count;
        }
        long calls = Math.max(0, admitted - retries);
        boolean allowed = retries + 1 <= rules.budgetReserve() + rules.budgetRatio() * calls;
        if (allowed) {
            spent[(int) (slot % SLOTS)]++;
        }
        return allowed;
    }

    private void roll(long current) {
        for (long i = Math.max(slot + 1, current - SLOTS + 1); i <= current; i++) {
            spent[(int) (i % SLOTS)] = 0;
        }
        slot = Math.max(slot, current); // threads may overtake each other
    }
}
