package dev.throttle.signal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a response says about the server's limits: how long to wait, and what is left of each quota.
 *
 * @param retryAfter how long the server asks clients to wait, not negative; null if it does not ask
 * @param quotas one entry for each quota in the response; empty if there is none
 * @param floor how long to wait after a refusal that names no time, according to the server's documentation; null if
 *     unknown
 * @param shouldRetry whether the server says that the request may be sent again, as with {@code x-should-retry}; null
 *     if it does not say. It applies only to refusals and errors and does not shorten a wait
 * @param cost what the server says that this call has cost; null if it does not say
 * @param demand what a refused request would take, and the limit that it met; null if the refusal does not say
 */
public record RateHints(
        @Nullable Duration retryAfter,
        List<Quota> quotas,
        @Nullable Duration floor,
        @Nullable Boolean shouldRetry,
        @Nullable Cost cost,
        @Nullable Demand demand) {

    /** A response that says nothing about limits. */
    public static final RateHints NONE = new RateHints(null, List.of());

    /**
     * Copies the list.
     *
     * @param retryAfter how long the server asks clients to wait, or null
     * @param quotas one entry for each quota in the response
     * @param floor how long to wait after a refusal that names no time, or null
     * @param shouldRetry whether the server says that the request may be sent again or null
     * @param cost what the call has cost or null
     * @param demand what a refused request would take, or null
     */
    public RateHints {
        quotas = List.copyOf(quotas);
    }

    /**
     * Makes hints of a server that does not say what the call has cost, or would take.
     *
     * @param retryAfter how long the server asks clients to wait, or null
     * @param quotas one entry for each quota in the response
     * @param floor how long to wait after a refusal that names no time, or null
     * @param shouldRetry whether the server says that the request may be sent again or null
     */
    public RateHints(
            @Nullable Duration retryAfter,
            List<Quota> quotas,
            @Nullable Duration floor,
            @Nullable Boolean shouldRetry) {
        this(retryAfter, quotas, floor, shouldRetry, null);
    }

    /**
     * Makes hints of a server that does not say what a request would take.
     *
     * @param retryAfter how long the server asks clients to wait, or null
     * @param quotas one entry for each quota in the response
     * @param floor how long to wait after a refusal that names no time, or null
     * @param shouldRetry whether the server says that the request may be sent again or null
     * @param cost what the call has cost or null
     */
    public RateHints(
            @Nullable Duration retryAfter,
            List<Quota> quotas,
            @Nullable Duration floor,
            @Nullable Boolean shouldRetry,
            @Nullable Cost cost) {
        this(retryAfter, quotas, floor, shouldRetry, cost, null);
    }

    /**
     * Makes hints of a server that does not say whether the request may be sent again.
     *
     * @param retryAfter how long the server asks clients to wait, or null
     * @param quotas one entry for each quota in the response
     * @param floor how long to wait after a refusal that names no time, or null
     */
    public RateHints(@Nullable Duration retryAfter, List<Quota> quotas, @Nullable Duration floor) {
        this(retryAfter, quotas, floor, null);
    }

    /**
     * Makes hints of a server about which nothing else is known.
     *
     * @param retryAfter how long the server asks clients to wait, or null
     * @param quotas one entry for each quota in the response
     */
    public RateHints(@Nullable Duration retryAfter, List<Quota> quotas) {
        this(retryAfter, quotas, null, null);
    }

    /** {@return whether the response says nothing about limits, costs, or repeating the request} */
    public boolean isEmpty() {
        boolean isSilent = retryAfter == null && quotas.isEmpty() && floor == null && shouldRetry == null;
        return isSilent && cost == null && demand == null;
    }

    /** {@return whether some quota counts the costs of requests, such as tokens, instead of their number} */
    public boolean countsCosts() {
        for (int i = 0; i < quotas.size(); i++) { // no iterator: asked with every response
            Quota quota = quotas.get(i);
            if (!quota.countsRequests() && !quota.unit().equals(Quota.CONCURRENT_REQUESTS)) {
                return true;
            }
        }
        return false;
    }

    /**
     * {@return whether some quota of requests or points has nothing left} Quotas of other units, such as tokens, do not
     * matter.
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
     * {@return how long callers have to wait if the response was a refusal: the time that the server asked for;
     * otherwise the time until the last of the exhausted quotas is renewed; otherwise the floor; null if nothing is
     * known}
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
     * or with the fewest remaining requests if a limit is unknown; null if no quota of requests says what remains}
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
     * {@return these hints with another time to wait}
     *
     * @param newRetryAfter the time; null for none
     */
    public RateHints withRetryAfter(@Nullable Duration newRetryAfter) {
        return new RateHints(newRetryAfter, quotas, floor, shouldRetry, cost, demand);
    }

    /**
     * {@return these hints with another floor}
     *
     * @param newFloor the floor; null for none
     */
    public RateHints withFloor(@Nullable Duration newFloor) {
        return new RateHints(retryAfter, quotas, newFloor, shouldRetry, cost, demand);
    }

    /**
     * {@return these hints with another cost}
     *
     * @param newCost what the call has cost; null if unknown
     */
    public RateHints withCost(@Nullable Cost newCost) {
        return new RateHints(retryAfter, quotas, floor, shouldRetry, newCost, demand);
    }

    /**
     * {@return these hints with other quotas}
     *
     * @param newQuotas the quotas
     */
    public RateHints withQuotas(List<Quota> newQuotas) {
        return new RateHints(retryAfter, newQuotas, floor, shouldRetry, cost, demand);
    }

    /**
     * {@return these hints with another demand}
     *
     * @param newDemand what the refused request would take; null for unknown
     */
    public RateHints withDemand(@Nullable Demand newDemand) {
        return new RateHints(retryAfter, quotas, floor, shouldRetry, cost, newDemand);
    }

    /**
     * {@return the names of the quotas that a refusal is about: those that are used up; otherwise those that it names
     * without any number; otherwise the only one in it, unless it has some left. Empty if it does not say, so that it
     * may be about all calls}
     */
    public List<String> blamed() {
        List<String> usedUp = new ArrayList<>(0);
        List<String> named = new ArrayList<>(0);
        boolean isUnnamedUsedUp = false;
        for (Quota quota : quotas) {
            String policy = quota.policy();
            if (quota.isExhausted()) {
                isUnnamedUsedUp |= policy == null;
                if (policy != null) {
                    usedUp.add(policy);
                }
            } else if (policy != null && quota.isNameOnly()) {
                named.add(policy);
            }
        }
        if (isUnnamedUsedUp) {
            return List.of();
        }
        boolean mayBeUsedUp = quotas.size() == 1 && quotas.get(0).remaining() == null;
        String only = mayBeUsedUp ? quotas.get(0).policy() : null;
        return !usedUp.isEmpty() ? usedUp : !named.isEmpty() || only == null ? named : List.of(only);
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
