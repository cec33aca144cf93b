package dev.throttle.signal;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a response says about the server's limits: how long to stay away, and what is left of each quota.
 *
 * @param retryAfter how long the server asks to stay away, not negative; null if it did not ask
 * @param quotas one entry per policy the server told about; empty if none
 * @param floor how long to stay away after a refusal for which the server named no time at all, as its documentation
 *     has it; null if nothing is known about that
 * @param shouldRetry whether the server says that the request may be sent again, as with {@code x-should-retry}; null
 *     if it does not say. It is read from refusals and errors only, and does not shorten a wait
 */
public record RateHints(
        @Nullable Duration retryAfter,
        List<Quota> quotas,
        @Nullable Duration floor,
        @Nullable Boolean shouldRetry) {

    /** A response that says nothing about limits. */
    public static final RateHints NONE = new RateHints(null, List.of());

    /**
     * Copies the list.
     *
     * @param retryAfter how long the server asks to stay away or null
     * @param quotas one entry per policy the server told about
     * @param floor how long to stay away after a refusal without any time or null
     * @param shouldRetry whether the server says that the request may be sent again or null
     */
    public RateHints {
        quotas = List.copyOf(quotas);
    }

    /**
     * Hints of a server that does not say whether the request may be sent again.
     *
     * @param retryAfter how long the server asks to stay away or null
     * @param quotas one entry per policy the server told about
     * @param floor how long to stay away after a refusal without any time or null
     */
    public RateHints(@Nullable Duration retryAfter, List<Quota> quotas, @Nullable Duration floor) {
        this(retryAfter, quotas, floor, null);
    }

    /**
     * Hints of a server about which nothing else is known.
     *
     * @param retryAfter how long the server asks to stay away or null
     * @param quotas one entry per policy the server told about
     */
    public RateHints(@Nullable Duration retryAfter, List<Quota> quotas) {
        this(retryAfter, quotas, null, null);
    }

    /** {@return whether the response says nothing about limits, nor about repeating the request} */
    public boolean isEmpty() {
        return retryAfter == null && quotas.isEmpty() && floor == null && shouldRetry == null;
    }

    /** {@return whether some quota counts what requests cost, such as tokens, and not how many there are} */
    public boolean countsCosts() {
        for (Quota quota : quotas) {
            if (!quota.countsRequests() && !quota.unit().equals(Quota.CONCURRENT_REQUESTS)) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return whether some quota of requests or points has nothing left} Others, such as tokens, are not looked at.
     */
    public boolean isExhausted() {
        for (Quota quota : quotas) {
            boolean counts = quota.countsRequests() || quota.unit().equals(Quota.POINTS);
            if (counts && quota.isExhausted()) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return how long the server has callers stay away if the response was a refusal: the time it asked for; else the
     * time until the last of the exhausted quotas is renewed; else the floor; null if nothing is known}
     */
    public @Nullable Duration refusalWait() {
        if (retryAfter != null) {
            return retryAfter;
        }
        Duration reset = resetOfExhausted();
        return reset != null ? reset : floor;
    }

    /**
     * {@return the time until the last of the exhausted quotas is renewed; null if none is exhausted or none says when}
     */
    public @Nullable Duration resetOfExhausted() {
        Duration latest = null;
        for (Quota quota : quotas) {
            Duration reset = quota.reset();
            if (quota.isExhausted() && reset != null && (latest == null || reset.compareTo(latest) > 0)) {
                latest = reset;
            }
        }
        return latest;
    }

    /**
     * {@return the quota of requests that will run out first: the one with the smallest remaining share of its limit,
     * or with the fewest requests remaining where a limit is unknown; null if no quota of requests tells what remains}
     */
    public @Nullable Quota scarcest() {
        Quota byShare = null;
        Quota byUnits = null;
        for (Quota quota : quotas) {
            if (!quota.countsRequests() || quota.remaining() == null) {
                continue;
            }
            if (quota.limit() == null) {
                byUnits = byUnits == null || units(quota) < units(byUnits) ? quota : byUnits;
            } else {
                byShare = byShare == null || isScarcer(quota, byShare) ? quota : byShare;
            }
        }
        if (byShare == null || byUnits == null) {
            return byShare == null ? byUnits : byShare;
        }
        return units(byUnits) < units(byShare) ? byUnits : byShare;
    }

    /**
     * {@return these hints with another time to stay away}
     *
     * @param newRetryAfter the time; null for none
     */
    public RateHints withRetryAfter(@Nullable Duration newRetryAfter) {
        return new RateHints(newRetryAfter, quotas, floor, shouldRetry);
    }

    /**
     * {@return these hints with another floor}
     *
     * @param newFloor the floor; null for none
     */
    public RateHints withFloor(@Nullable Duration newFloor) {
        return new RateHints(retryAfter, quotas, newFloor, shouldRetry);
    }

    private static boolean isScarcer(Quota a, Quota b) {
        int byShare = Double.compare(share(a), share(b));
        return byShare == 0 ? units(a) < units(b) : byShare < 0;
    }

    private static double share(Quota quota) {
        Long limit = quota.limit();
        return limit == null || limit == 0 ? 0 : (double) units(quota) / limit;
    }

    private static long units(Quota quota) {
        Long spendable = quota.spendable();
        return spendable == null ? Long.MAX_VALUE : spendable;
    }
}
