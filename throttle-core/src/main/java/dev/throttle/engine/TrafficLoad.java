package dev.throttle.engine;

import dev.throttle.control.RateLimit;
import dev.throttle.control.Scope;
import dev.throttle.signal.Cost;

/** What a throttle was doing when a request ended. */
record TrafficLoad(
        long permitId,
        Cost cost,
        long admittedAtNanos,
        int inFlight,
        long admitted,
        int waiting,
        double requestsPerSecond,
        Scope scope)
        implements RateLimit.Load {

    /** Of a request that all quotas count. */
    TrafficLoad(
            long permitId,
            Cost cost,
            long admittedAtNanos,
            int inFlight,
            long admitted,
            int waiting,
            double requestsPerSecond) {
        this(permitId, cost, admittedAtNanos, inFlight, admitted, waiting, requestsPerSecond, Scope.ALL);
    }
}
