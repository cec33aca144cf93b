package dev.throttle.engine;

import dev.throttle.control.Learner;
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
        implements Learner.Load {}
