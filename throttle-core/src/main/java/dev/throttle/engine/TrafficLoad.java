package dev.throttle.engine;

import dev.throttle.control.RateLimit;
import dev.throttle.signal.Cost;

/** What a throttle was doing when a request ended. */
record TrafficLoad(
        long permitId,
        Cost cost,
        long admittedAtNanos,
        int inFlight,
        long admitted,
        int waiting,
        double requestsPerSecond)
        implements RateLimit.Load {}
