package dev.throttle.signal;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a response says about the server's limits: how long to stay away, and what is left of each quota.
 *
 * @param retryAfter how long the server asks to stay away, not negative; null if it did not ask
 * @param quotas one entry per policy the server told about; empty if none
 */
public record RateHints(@Nullable Duration retryAfter, List<Quota> quotas) {

    /** A response that says nothing about limits. */
    public static final RateHints NONE = new RateHints(null, List.of());

    /** Copies the list. */
    public RateHints {
        quotas = List.copyOf(quotas);
    }

    /** {@return whether the response says nothing about limits} */
    public boolean isEmpty() {
        return retryAfter == null && quotas.isEmpty();
    }

    /**
     * {@return the quota that will run out first: the one with the smallest remaining share of its limit, or with the
     * fewest units remaining where a limit is unknown; null if no quota tells what remains}
     */
    public @Nullable Quota scarcest() {
        Quota scarcest = null;
        for (Quota quota : quotas) {
            if (quota.remaining() != null && (scarcest == null || isScarcer(quota, scarcest))) {
                scarcest = quota;
            }
        }
        return scarcest;
    }

    private static boolean isScarcer(Quota a, Quota b) {
        Double shareA = share(a);
        Double shareB = share(b);
        if (shareA != null && shareB != null && !shareA.equals(shareB)) {
            return shareA < shareB;
        }
        return units(a) < units(b);
    }

    private static @Nullable Double share(Quota quota) {
        Long limit = quota.limit();
        Long remaining = quota.remaining();
        return limit == null || remaining == null || limit == 0 ? null : (double) remaining / limit;
    }

    private static long units(Quota quota) {
        Long remaining = quota.remaining();
        return remaining == null ? Long.MAX_VALUE : remaining;
    }
}
