package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.usage.JsonMembers.Found;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a query has cost in points and what is left of them, as Shopify tells it in {@code extensions.cost}, and GitHub
 * in {@code rateLimit} if it is asked for; and refusals that have the status of a success.
 */
public final class GraphQlCost {

    private static final Set<String> REFUSALS = Set.of("THROTTLED", "RATE_LIMITED", "RATELIMITED");
    private static final long MILLIS_PER_SECOND = 1000;
    private static final int LONGEST_TIME = 40;

    private GraphQlCost() {}

    /**
     * {@return how long until the points are back that a refused query asked for, as Shopify tells it; null if the body
     * does not}
     *
     * @param body the body of a refusal, or its beginning
     */
    public static @Nullable Duration waitForPoints(String body) {
        Found cost = JsonMembers.last(body, "cost");
        Found status = cost == null ? null : JsonMembers.last(body, "throttleStatus");
        return cost == null || status == null
                ? null
                : shopify(cost, status, true).retryAfter();
    }

    /** {@return what the body tells; {@link BodyReport#NONE} if that is nothing} */
    static BodyReport read(String head, String tail, long nowMillis) {
        boolean refused = isRefusal(tail) || isRefusal(head);
        Found shopify = JsonMembers.last(tail, "cost");
        Found status = shopify == null ? null : JsonMembers.last(tail, "throttleStatus");
        if (shopify != null && status != null) {
            return shopify(shopify, status, refused);
        }
        Found gitHub = JsonMembers.last(tail, "rateLimit");
        gitHub = gitHub == null ? JsonMembers.first(head, "rateLimit") : gitHub;
        if (gitHub != null && gitHub.amount("remaining") != Amounts.UNKNOWN) {
            return gitHub(gitHub, refused, nowMillis);
        }
        return refused ? new BodyReport(null, List.of(), true, null) : BodyReport.NONE;
    }

    private static boolean isRefusal(String text) {
        return JsonMembers.hasArray(text, "errors")
                && (JsonMembers.hasString(text, "code", REFUSALS) || JsonMembers.hasString(text, "type", REFUSALS));
    }

    /** A bucket: what comes back in a second is what it can hold over its window. */
    private static BodyReport shopify(Found cost, Found status, boolean refused) {
        long limit = status.amount("maximumAvailable");
        long left = status.amount("currentlyAvailable");
        long perSecond = status.amount("restoreRate");
        long actual = cost.amount("actualQueryCost");
        Cost taken = actual == Amounts.UNKNOWN || refused ? null : Cost.of(Quota.POINTS, actual);
        if (limit <= 0 || left == Amounts.UNKNOWN) {
            return new BodyReport(taken, List.of(), refused, null);
        }
        Quota quota = new Quota(
                Quota.POINTS,
                limit,
                left,
                timeFor(Math.max(0, limit - left), perSecond),
                timeFor(limit, perSecond),
                Quota.POINTS,
                null);
        long missing = Math.max(0, cost.amount("requestedQueryCost") - left);
        return new BodyReport(taken, List.of(quota), refused, refused ? timeFor(missing, perSecond) : null);
    }

    private static @Nullable Duration timeFor(long points, long perSecond) {
        return perSecond <= 0 ? null : Duration.ofMillis(-Math.floorDiv(-points * MILLIS_PER_SECOND, perSecond));
    }

    private static BodyReport gitHub(Found rateLimit, boolean refused, long nowMillis) {
        long cost = rateLimit.amount("cost");
        long limit = rateLimit.amount("limit");
        Quota quota = new Quota(
                "graphql",
                limit == Amounts.UNKNOWN ? null : limit,
                rateLimit.amount("remaining"),
                until(rateLimit.members().get("resetAt"), nowMillis),
                null,
                Quota.POINTS,
                null);
        Cost taken = cost == Amounts.UNKNOWN || refused ? null : Cost.of(Quota.POINTS, cost);
        return new BodyReport(taken, List.of(quota), refused, refused ? quota.reset() : null);
    }

    private static @Nullable Duration until(@Nullable String time, long nowMillis) {
        if (time == null || time.length() > LONGEST_TIME) {
            return null;
        }
        try {
            Duration left = Duration.between(Instant.ofEpochMilli(nowMillis), Instant.parse(time));
            return left.isNegative() ? Duration.ZERO : left;
        } catch (DateTimeException | ArithmeticException e) {
            return null;
        }
    }
}
