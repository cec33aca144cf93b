package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import java.util.List;

/** Reads what beginning and end of a body tell. */
final class UsageReader {

    private UsageReader() {}

    /**
     * {@return what a body tells}
     *
     * @param head its first characters; empty if all of it is in the tail
     * @param tail its last characters
     * @param isStream whether it is a stream of events
     * @param nowMillis the time in milliseconds since the epoch
     */
    static BodyReport read(String head, String tail, boolean isStream, long nowMillis) {
        Cost tokens = ModelUsage.cost(isStream ? head : "", tail);
        if (tokens != null) {
            return new BodyReport(tokens, List.of(), false, null);
        }
        return isStream ? BodyReport.NONE : GraphQlCost.read(head, tail, nowMillis);
    }
}
