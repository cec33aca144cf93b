package dev.throttle.retry.decision;

import dev.throttle.internal.Faults;
import dev.throttle.internal.Nanos;
import dev.throttle.retry.Backoff;
import dev.throttle.retry.RetryDecision;
import dev.throttle.retry.RetryDecision.Retry;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a retry policy, checked already, and what follows from them for one attempt.
 *
 * @param outcomes the outcomes after which an attempt is repeated
 * @param maxAttempts the most attempts of a call after overloads and faults
 * @param nonIdempotent whether requests that are not idempotent are repeated after overloads and faults
 * @param backoff the wait where the server named no time
 * @param rateLimitedFloorNanos the least wait after a quota refusal for which neither the server nor a strategy names
 *     one
 * @param budgetRatio the retries allowed per call, over ten seconds
 * @param budgetReserve the retries allowed in ten seconds however few calls there are
 */
public record RetryRules(
        Set<Outcome> outcomes,
        int maxAttempts,
        boolean nonIdempotent,
        Backoff backoff,
        long rateLimitedFloorNanos,
        double budgetRatio,
        int budgetReserve) {

    /** The bound of the first wait of {@link #STANDARD_BACKOFF}. */
    public static final Duration STANDARD_BASE = Duration.ofMillis(200);
    /** The backoff of a policy that is not told otherwise. */
    public static final Backoff STANDARD_BACKOFF = Backoff.exponentialFullJitter(STANDARD_BASE, Duration.ofSeconds(20));

    /** The longest backoff while the server is away, so that a lone call notices soon that it is back. */
    private static final long LONGEST_AWAY_NANOS = Duration.ofSeconds(8).toNanos();

    private static final Faults BACKOFF_FAULTS = new Faults("the backoff");

    /**
     * Decides what becomes of an attempt, before the budget is asked. The backoff, which may be the user's, runs here:
     * not to be called under a lock.
     *
     * @param facts all else that the decision depends on
     * @return the decision
     */
    public RetryDecision decide(RetryFacts facts) {
        StopReason hindrance = hindrance(facts);
        if (hindrance != null) {
            return hindrance.decision();
        }
        long delay = localDelayNanos(facts);
        long left = facts.leftNanos();
        if (left <= 0 || Math.max(delay, facts.neededNanos()) > left) {
            return StopReason.WAIT_TOO_LONG.decision();
        }
        return delay == 0 ? Retry.WHEN_ADMITTED : new Retry(Duration.ofNanos(delay));
    }

    private @Nullable StopReason hindrance(RetryFacts facts) {
        Outcome outcome = facts.outcome();
        if (outcome == Outcome.CANCELLED) {
            return StopReason.CANCELLED;
        }
        if (outcome == Outcome.DENIED) {
            return StopReason.PERMANENT;
        }
        if (!outcome.isRefusal() && !outcome.isFault()) {
            return StopReason.ANSWERED;
        }
        if (!outcomes.contains(outcome)) {
            return StopReason.DISABLED;
        }
        if (Boolean.FALSE.equals(facts.shouldRetry())) {
            return StopReason.PERMANENT;
        }
        if (!facts.replayable()) {
            return StopReason.NOT_REPLAYABLE;
        }
        boolean isQuota = outcome == Outcome.RATE_LIMITED;
        boolean isHarmless = isQuota || facts.idempotent() || Boolean.TRUE.equals(facts.shouldRetry());
        if (!isHarmless && !nonIdempotent) {
            return StopReason.NOT_IDEMPOTENT;
        }
        Integer own = facts.maxAttempts();
        if (own != null) {
            return facts.failures() >= own ? StopReason.ATTEMPTS : null;
        }
        boolean isUsedUp = facts.away() ? maxAttempts == 1 : facts.counted() >= maxAttempts;
        return isUsedUp && !isQuota ? StopReason.ATTEMPTS : null;
    }

    /** The wait that this policy adds where neither the server nor the throttle's strategy demands one. */
    private long localDelayNanos(RetryFacts facts) {
        if (facts.outcome() == Outcome.RATE_LIMITED) {
            // If no strategy spaces its attempts, a refused call would be repeated at once and refused again, for ever.
            return facts.neededNanos() > 0 && facts.spaced()
                    ? 0
                    : Math.max(rateLimitedFloorNanos, backoffNanos(facts.failures(), facts.random()));
        }
        if (facts.away() && facts.outcome() == Outcome.UNREACHABLE) {
            return 0; // the throttle spaces the probes
        }
        if (facts.serverNamedWait() && facts.neededNanos() > 0) {
            return 0;
        }
        if (facts.away()) {
            return Math.min(backoffNanos(facts.faults(), facts.random()), LONGEST_AWAY_NANOS);
        }
        return backoffNanos(facts.maxAttempts() == null ? facts.counted() : facts.failures(), facts.random());
    }

    /** A backoff of the user's that throws is replaced by the standard one. */
    private long backoffNanos(int attempt, double random) {
        try {
            return Math.max(0, Math.min(backoff.delayNanos(attempt, random), Nanos.MAX));
        } catch (Throwable e) {
            BACKOFF_FAULTS.report(e);
            return STANDARD_BACKOFF.delayNanos(attempt, random);
        }
    }
}
