package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request that an engine has only watched.
 *
 * @param at when it was sent
 * @param nanos how long its answer took
 * @param options what was told about its call
 * @param cost what it took
 * @param outcome how it ended
 * @param retryAfter the time that its answer named; null if it named none
 * @param quotas what its answer said about quotas
 * @param print tells calls apart; 0 if nothing is known that does
 */
public record RecordedCall(
        long at,
        long nanos,
        CallOptions options,
        Cost cost,
        Outcome outcome,
        @Nullable Duration retryAfter,
        List<Quota> quotas,
        int print) {

    /** {@return the same with its time counted from an origin} */
    public RecordedCall since(long origin) {
        return new RecordedCall(at - origin, nanos, options, cost, outcome, retryAfter, quotas, print);
    }

    /** {@return whether a limit has refused it} */
    public boolean isRefused() {
        return outcome == Outcome.RATE_LIMITED;
    }

    /** {@return whether a limit was asked, and has either granted or refused it} */
    public boolean isJudged() {
        return outcome == Outcome.SUCCESS || outcome == Outcome.RATE_LIMITED;
    }
}
