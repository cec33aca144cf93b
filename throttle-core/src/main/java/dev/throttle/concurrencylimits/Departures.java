package dev.throttle.concurrencylimits;

import java.util.HashMap;
import java.util.Map;

/**
 * How many requests were on the wire when each of those under way left, found again by the time it left. Of requests
 * that left at the same instant the most count, for all of them.
 */
final class Departures {

    private final Map<Long, Instant> instants = new HashMap<>();

    /** Requests that left at one instant. */
    private static final class Instant {

        int underWay;
        int inFlight;
    }

    void add(long nanos, int inFlight) {
        Instant instant = instants.computeIfAbsent(nanos, first -> new Instant());
        instant.underWay++;
        instant.inFlight = Math.max(instant.inFlight, inFlight);
    }

    /**
     * {@return how many requests were on the wire, itself included, when a request left}
     *
     * @param nanos when it left
     * @param unknown the answer for one that nobody was told of
     */
    int remove(long nanos, int unknown) {
        Instant instant = instants.get(nanos);
        if (instant == null) {
            return unknown;
        }
        instant.underWay--;
        if (instant.underWay == 0) {
            instants.remove(nanos);
        }
        return instant.inFlight;
    }
}
