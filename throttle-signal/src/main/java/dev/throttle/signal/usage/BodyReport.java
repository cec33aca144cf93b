package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the body of an answer tells about its cost.
 *
 * @param cost what the call took; null if the body does not tell
 * @param quotas what is left of quotas that only the body tells; empty if it tells of none
 * @param refused whether this is a refusal, although its status is that of a success
 * @param retryAfter how long until what was refused fits; null if nothing was refused, or the body does not tell
 */
public record BodyReport(
        @Nullable Cost cost,
        List<Quota> quotas,
        boolean refused,
        @Nullable Duration retryAfter) {

    /** A body that tells nothing. */
    public static final BodyReport NONE = new BodyReport(null, List.of(), false, null);

    /**
     * Copies the list.
     *
     * @param cost what the call took or null
     * @param quotas what is left of quotas
     * @param refused whether this is a refusal
     * @param retryAfter how long until what was refused fits or null
     */
    public BodyReport {
        quotas = List.copyOf(quotas);
    }

    /** {@return whether the body tells nothing} */
    public boolean isEmpty() {
        return cost == null && quotas.isEmpty() && !refused;
    }
}
