package dev.throttle.retry.decision;

import dev.throttle.signal.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * All that a decision to repeat an attempt depends on.
 *
 * @param outcome how the attempt ended
 * @param failures how many attempts of this call were refused or failed so far, this one included
 * @param faults how many of them were overloads or faults
 * @param counted how many of the faults count against the policy's bound of attempts
 * @param maxAttempts the call's own bound of attempts of every kind; null if it has none
 * @param idempotent whether sending the request twice does no harm
 * @param replayable whether it can be sent again
 * @param shouldRetry whether the server says that it may be sent again; null if it does not say
 * @param serverNamedWait whether the server said how long to stay away
 * @param spaced whether the throttle's strategy or the server spaces the attempts of a refused call
 * @param away whether the server is away, and the call waits for it to come back
 * @param neededNanos the wait that the throttle will demand before the next attempt, 0 or less for none
 * @param leftNanos what is left of the wait that the call may spend
 * @param random a random number from 0 (inclusive) to 1 (exclusive)
 */
public record RetryFacts(
        Outcome outcome,
        int failures,
        int faults,
        int counted,
        @Nullable Integer maxAttempts,
        boolean idempotent,
        boolean replayable,
        @Nullable Boolean shouldRetry,
        boolean serverNamedWait,
        boolean spaced,
        boolean away,
        long neededNanos,
        long leftNanos,
        double random) {

    /** {@return the same for a call whose wait has no bound} */
    public RetryFacts withoutBound() {
        return new RetryFacts(
                outcome,
                failures,
                faults,
                counted,
                maxAttempts,
                idempotent,
                replayable,
                shouldRetry,
                serverNamedWait,
                spaced,
                away,
                neededNanos,
                Long.MAX_VALUE,
                random);
    }
}
