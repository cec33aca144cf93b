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
 * What a throttle was doing at one moment.
 *
 * @param label the key of the throttle, as it is shown
 * @param state whether it lets calls go, as the program has asked of it or of its registry
 * @param sleep the sleep that the next request would be given, without what it would wait for {@code blocked}
 * @param blocked the time until the gate that a server's {@code Retry-After} or reset closed opens again; zero if open
 * @param rateLimit the rate limit in force in requests per second; positive infinity when there is none
 * @param requestsPerSecond requests let go in the last second
 * @param waiting callers in the queue
 * @param waitingByPriority the same by class; every class is named
 * @param inFlight requests on the wire
 * @param inFlightLimit how many requests may be on the wire at a time; {@link Integer#MAX_VALUE} when there is no such
 *     limit
 * @param quotas what the server said last about its policies, the resets counted from now
 * @param outcomes how many attempts ended in each way so far
 * @param rejected how many times a caller was not let go, so far
 * @param cancelledWaiting how many callers left the queue unserved so far, by cancellation or interrupt
 * @param retried how many attempts were repeated so far
 * @param notRetried how many refused or failed attempts were not repeated so far, and why
 */
public record ThrottleSnapshot(
        String label,
        ThrottleState state,
        Duration sleep,
        Duration blocked,
        double rateLimit,
        double requestsPerSecond,
        int waiting,
        Map<Priority, Integer> waitingByPriority,
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
                Duration.ofNanos(gauges.sleepNanos(now)),
                Duration.ofNanos(gauges.blockedNanos(now)),
                gauges.limitPerSecond(),
                gauges.requestsPerSecond(now),
                gauges.waiting(),
                Collections.unmodifiableMap(waiting),
                gauges.inFlight(),
                gauges.limitInFlight(),
                gauges.quotas(now),
                Collections.unmodifiableMap(outcomes),
                counters.rejected(),
                counters.cancelledWaiting(),
                counters.retried(),
                Collections.unmodifiableMap(counters.notRetried()));
    }
}
