package dev.throttle.engine;

import dev.throttle.retry.decision.RetryRules;

/**
 * Bounds the retries of all calls of a throttle to a share of its calls plus a reserve, over the last ten seconds.
 * Thread-safe: it is asked when the engine's lock is free, as the user's backoff has its say before.
 */
final class RetryBudget {

    private static final int SLOTS = 10;
    private static final long SLOT_NANOS = 1_000_000_000;

    private double ratio;
    private int reserve;
    private final long[] spent = new long[SLOTS];
    private final long origin;
    private long slot;

    RetryBudget(RetryRules rules, long now) {
        this.ratio = rules.budgetRatio();
        this.reserve = rules.budgetReserve();
        this.origin = now;
    }

    /** Goes on with another share; what was spent stays spent. */
    synchronized void follow(RetryRules rules) {
        ratio = rules.budgetRatio();
        reserve = rules.budgetReserve();
    }

    /**
     * Takes one retry from the budget.
     *
     * @param admitted requests let go in the last ten seconds, retries included
     * @param now the time
     * @return false if the budget is used up
     */
    synchronized boolean tryWithdraw(long admitted, long now) {
        roll((now - origin) / SLOT_NANOS);
        boolean allowed = allows(admitted);
        if (allowed) {
            spent[(int) (slot % SLOTS)]++;
        }
        return allowed;
    }

    private boolean allows(long admitted) {
        long retries = 0;
        for (long count : spent) {
            retries += count;
        }
        return retries + 1 <= reserve + ratio * Math.max(0, admitted - retries);
    }

    private void roll(long current) {
        for (long i = Math.max(slot + 1, current - SLOTS + 1); i <= current; i++) {
            spent[(int) (i % SLOTS)] = 0;
        }
        slot = Math.max(slot, current); // threads may overtake each other
    }
}
