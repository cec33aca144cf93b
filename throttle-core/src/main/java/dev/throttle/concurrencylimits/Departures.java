package dev.throttle.concurrencylimits;

import java.util.HashMap;
import java.util.Map;

/** How many requests were on the wire when each of those under way left, found again by the id of its permit. */
final class Departures {

    private final Map<Long, Integer> inFlight = new HashMap<>();

    void add(long permitId, int onTheWire) {
        inFlight.put(permitId, onTheWire);
    }

    /**
     * {@return how many requests were on the wire, itself included, when a request left}
     *
     * @param permitId identifies the request
     * @param unknown the answer for a request that was not added
     */
    int remove(long permitId, int unknown) {
        Integer then = inFlight.remove(permitId);
        return then == null ? unknown : then;
    }
}
