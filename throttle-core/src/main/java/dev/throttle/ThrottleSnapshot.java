package dev.throttle;

import dev.throttle.engine.Counters;
import dev.throttle.engine.Engine;
import dev.throttle.engine.Gauges;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The state of a throttle at one moment. See {@link Throttle#snapshot()}.
 *
 * @param label the key of the throttle, as it is shown
 * @param state the state that the program has put it or its registry in
 * @param mode whether it acts on what it knows
 * @param sleep the sleep before the next request, without the time it would wait because of {@code blocked}. A caller
 *     behind others in the queue waits longer
 * @param blocked the time until the server accepts requests again, according to its {@code Retry-After} or reset; zero
 *     if it accepts them now
 * @param rateLimit the current rate limit in requests per second; positive infinity if there is none
 * @param requestsPerSecond requests sent in the last second
 * @param waiting callers in the queue
 * @param waitingByPriority the same by priority; every priority is present
 * @param waitingTenants how many tenants have callers in the queue; see {@link CallOptions#tenant}
 * @param waitingByQuota callers in the queue that wait for a quota of the server which has a name, by that name; see
 *     {@link CallOptions#route}
 * @param inFlight requests in flight
 * @param inFlightLimit how many requests may be in flight at a time; {@link Integer#MAX_VALUE} if there is no such
 *     limit
 * @param quotas what the server said last about its quotas, with the resets counted from now
 * @param outcomes how many attempts have ended with each outcome so far
 * @param rejected how many callers were rejected so far
 * @param cancelledWaiting how many callers left the queue so far because they were cancelled or interrupted
 * @param retried how many attempts were retried so far
 * @param notRetried how many refused or failed attempts were not retried so far, by reason
 */
public record ThrottleSnapshot(
        String label,
        ThrottleState state,
        ThrottleMode mode,
        Duration sleep,
        Duration blocked,
        double rateLimit,
        double requestsPerSecond,
        int waiting,
        Map<Priority, Integer> waitingByPriority,
        int waitingTenants,
        Map<String, Integer> waitingByQuota,
        int inFlight,
        int inFlightLimit,
        List<Quota> quotas,
        Map<Outcome, Long> outcomes,
        long rejected,
        long cancelledWaiting,
        long retried,
        Map<StopReason, Long> notRetried) {

    static ThrottleSnapshot of(String label, Engine engine) {
        Gauges gauges = engine.gauges();
        Counters counters = engine.counters();
        long now = engine.now();
        Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, engine.count(outcome));
        }
        Map<Priority, Integer> waiting = new EnumMap<>(Priority.class);
        for (Priority priority : Priority.values()) {
            waiting.put(priority, gauges.waiting(priority));
        }
        return new ThrottleSnapshot(
                label,
                gauges.state(),
                engine.policy().mode(),
                Duration.ofNanos(engine.sleepNanos()),
                Duration.ofNanos(engine.blockedNanos(now)),
                engine.limitPerSecond(),
                gauges.requestsPerSecond(now),
                gauges.waiting(),
                Collections.unmodifiableMap(waiting),
                gauges.waitingTenants(),
                Collections.unmodifiableMap(engine.waitingByQuota()),
                gauges.inFlight(),
                engine.limitInFlight(),
                gauges.quotas(now),
                Collections.unmodifiableMap(outcomes),
                counters.rejected(),
                counters.cancelledWaiting(),
                counters.retried(),
                Collections.unmodifiableMap(counters.notRetried()));
    }
}
