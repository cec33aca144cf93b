package dev.throttle;

import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What a throttle was doing at one moment.
 *
 * @param key the key of the throttle
 * @param sleep the sleep that the next request would be given, without what it would wait for {@code blocked}
 * @param blocked the time until the gate that a server's {@code Retry-After} or reset closed opens again; zero if open
 * @param rateLimit the rate limit in force in requests per second; positive infinity when there is none
 * @param requestsPerSecond requests let go in the last second
 * @param waiting callers in the queue
 * @param inFlight requests on the wire
 * @param quotas what the server said last about its policies, the resets counted from now
 * @param outcomes how many attempts ended in each way so far
 * @param rejected how many times a caller was not let go, so far
 * @param cancelledWaiting how many callers left the queue unserved so far, by cancellation or interrupt
 * @param retried how many attempts were repeated so far
 * @param notRetried how many refused or failed attempts were not repeated so far, and why
 */
public record ThrottleSnapshot(
        String key,
        Duration sleep,
        Duration blocked,
        double rateLimit,
        double requestsPerSecond,
        int waiting,
        int inFlight,
        List<Quota> quotas,
        Map<Outcome, Long> outcomes,
        long rejected,
        long cancelledWaiting,
        long retried,
        Map<StopReason, Long> notRetried) {

    /**
     * Copies the collections.
     *
     * @param key the key of the throttle
     * @param sleep the sleep that the next request would be given, without what it would wait for {@code blocked}
     * @param blocked the time until the gate that a server's {@code Retry-After} or reset closed opens again; zero if
     *     open
     * @param rateLimit the rate limit in force in requests per second; positive infinity when there is none
     * @param requestsPerSecond requests let go in the last second
     * @param waiting callers in the queue
     * @param inFlight requests on the wire
     * @param quotas what the server said last about its policies, the resets counted from now
     * @param outcomes how many attempts ended in each way so far
     * @param rejected how many times a caller was not let go, so far
     * @param cancelledWaiting how many callers left the queue unserved so far, by cancellation or interrupt
     * @param retried how many attempts were repeated so far
     * @param notRetried how many refused or failed attempts were not repeated so far, and why
     */
    public ThrottleSnapshot {
        quotas = List.copyOf(quotas);
        outcomes = Map.copyOf(outcomes);
        notRetried = Map.copyOf(notRetried);
    }
}
