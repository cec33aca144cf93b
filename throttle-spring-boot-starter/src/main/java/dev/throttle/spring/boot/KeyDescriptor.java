package dev.throttle.spring.boot;

import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.Throttle;
import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleSnapshot;
import dev.throttle.ThrottleState;
import dev.throttle.WaitEstimate;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A throttle as the endpoint shows it in full. It has no key, which may hold a credential, but its label.
 *
 * @param label the key as it is shown
 * @param state whether it lets calls go, as the program has asked of it
 * @param mode whether it acts on what it knows
 * @param why why calls wait, in sentences
 * @param reason what the first in line waits for; empty if no caller waits
 * @param quota the name of the server's quota that it waits for; null if it has none
 * @param waiting callers in the queue
 * @param waitingByPriority the same by class
 * @param waitingTenants how many tenants have callers in the queue
 * @param waitingByQuota the callers who wait for a quota of the server that has a name
 * @param inFlight requests in flight
 * @param inFlightLimit how many may be there; null if that is not limited
 * @param blocked the time until the server lets requests in again
 * @param sleep the sleep that the next request would be given
 * @param rateLimit the rate limit in force, in requests per second; null if there is none
 * @param requestsPerSecond requests admitted in the last second
 * @param quotas what the server said last about its limits
 * @param outcomes attempts by how they ended
 * @param rejected how often a caller was turned away
 * @param cancelledWaiting callers that left the queue unserved
 * @param retried attempts that were repeated
 * @param notRetried attempts that were not, and why
 */
record KeyDescriptor(
        String label,
        ThrottleState state,
        ThrottleMode mode,
        String why,
        String reason,
        @Nullable String quota,
        int waiting,
        Map<Priority, Integer> waitingByPriority,
        int waitingTenants,
        Map<String, Integer> waitingByQuota,
        int inFlight,
        @Nullable Integer inFlightLimit,
        Duration blocked,
        Duration sleep,
        @Nullable Double rateLimit,
        double requestsPerSecond,
        List<QuotaDescriptor> quotas,
        Map<Outcome, Long> outcomes,
        long rejected,
        long cancelledWaiting,
        long retried,
        Map<StopReason, Long> notRetried) {

    /**
     * What a server said about one limit. It does not say whose: a partition may name an account.
     *
     * @param policy the policy's name
     * @param unit what it counts
     * @param limit how many it grants per window
     * @param remaining how many are left
     * @param reset the time until it grants more
     * @param window the length of its window
     */
    record QuotaDescriptor(
            @Nullable String policy,
            String unit,
            @Nullable Long limit,
            @Nullable Long remaining,
            @Nullable Duration reset,
            @Nullable Duration window) {

        static QuotaDescriptor of(Quota quota) {
            return new QuotaDescriptor(
                    quota.policy(), quota.unit(), quota.limit(), quota.remaining(), quota.reset(), quota.window());
        }
    }

    static KeyDescriptor of(Throttle throttle) {
        ThrottleSnapshot now = throttle.snapshot();
        WaitEstimate estimate = throttle.estimateWait(CallOptions.DEFAULT);
        return new KeyDescriptor(
                now.label(),
                now.state(),
                now.mode(),
                throttle.explainWait(),
                estimate.headReason(),
                estimate.headQuota(),
                now.waiting(),
                now.waitingByPriority(),
                now.waitingTenants(),
                now.waitingByQuota(),
                now.inFlight(),
                now.inFlightLimit() == Integer.MAX_VALUE ? null : now.inFlightLimit(),
                now.blocked(),
                now.sleep(),
                Double.isInfinite(now.rateLimit()) ? null : now.rateLimit(),
                now.requestsPerSecond(),
                now.quotas().stream().map(QuotaDescriptor::of).toList(),
                now.outcomes(),
                now.rejected(),
                now.cancelledWaiting(),
                now.retried(),
                now.notRetried());
    }
}
