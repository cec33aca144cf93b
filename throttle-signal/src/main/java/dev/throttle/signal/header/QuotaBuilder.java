package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.header.QuotaName.Family;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects the headers that tell about one quota. Where a header is sent twice, the stricter one counts. */
final class QuotaBuilder {

    private static final long UNKNOWN = -1;
    /** What GitHub calls the quota of its GraphQL, whose queries take different amounts of it. */
    private static final String GRAPHQL = "graphql";

    private final Family family;
    private final @Nullable String group;

    private @Nullable String resource;
    private @Nullable String bucket;
    private @Nullable String name;
    private @Nullable String partition;
    private String unit;
    private @Nullable HeaderLines limitText;
    private long limit = UNKNOWN;
    private long burst = UNKNOWN;
    private long remaining = UNKNOWN;
    private long resetAfter = Millis.NONE;
    private long reset = Millis.NONE;
    private long next = Millis.NONE;
    private long resetTime = Millis.NONE;
    private long window = Millis.NONE;
    private List<Policy> policies = List.of();

    QuotaBuilder(Family family, @Nullable String group) {
        this.family = family;
        this.group = group;
        this.unit = Names.unitOfGroup(group);
        this.window = group == null ? Millis.NONE : Windows.of(group);
    }

    Family family() {
        return family;
    }

    boolean is(Family otherFamily, @Nullable String otherGroup) {
        return family == otherFamily && Objects.equals(group, otherGroup);
    }

    void limit(long value) {
        limit = stricter(limit, value);
    }

    void remaining(long value) {
        remaining = stricter(remaining, value);
    }

    void reset(long millis) {
        reset = Math.max(reset, millis);
    }

    void add(Field field, String value, ResetTimeParser when) {
        switch (field) {
            case LIMIT -> limitText = HeaderLines.add(limitText, value);
            case MAX -> limit(CommaList.least(value));
            case BURST -> burst = stricter(burst, CommaList.least(value));
            case REMAINING -> remaining(CommaList.least(value));
            case RESET -> reset(longest(value, when));
            case RESET_AFTER -> resetAfter = Math.max(resetAfter, ResetTimeParser.delta(value));
            case RESET_AFTER_MILLIS -> resetAfter = Math.max(resetAfter, ResetTimeParser.millis(value));
            case RESET_MILLIS -> reset(when.untilMillis(value));
            case RESET_TIME -> resetTime = Math.max(resetTime, when.until(value));
            case NEXT -> next = Math.max(next, when.until(value));
            case WINDOW_MILLIS -> window(ResetTimeParser.millis(value));
            case WINDOW -> window(ResetTimeParser.delta(value));
            case RESOURCE -> {
                resource = Names.of(value);
                unit = GRAPHQL.equals(resource) ? Quota.POINTS : unit;
            }
            case BUCKET -> bucket = Names.of(value);
            case NAME -> name = Names.of(value);
            case RETRY_AFTER, RETRY_AFTER_MILLIS -> {}
        }
    }

    private static long longest(String value, ResetTimeParser when) {
        long whole = when.untilReset(value);
        return whole != Millis.NONE
                ? whole
                : CommaList.longest(value, member -> when.untilReset(CommaList.withoutParameters(member)));
    }

    private void window(long millis) {
        if (millis > 0 && window == Millis.NONE) {
            window = millis;
        }
    }

    /** Reads the limit, all lines of which must be known. */
    void close() {
        String text = HeaderLines.text(limitText);
        if (text != null) {
            LimitValue value = LimitValue.parse(text);
            limit(value.limit());
            if (isOfModel() && (limit == 0 || text.charAt(0) == '-')) {
                forgetCounts();
            }
            window(value.window());
            if (!value.policies().isEmpty()) {
                policies = new ArrayList<>(value.policies());
                explainBy(policies);
            }
        }
        if (limit == UNKNOWN) {
            limit = burst;
        }
    }

    /** Whether it counts what servers of language models count. */
    private boolean isOfModel() {
        return group != null && (group.contains("token") || group.contains("request"));
    }

    /**
     * Azure has -1 or 0 for limits that it does not tell, or that there are not: nothing remains of them, and nothing
     * is used up.
     */
    private void forgetCounts() {
        limit = UNKNOWN;
        remaining = remaining == 0 ? UNKNOWN : remaining;
    }

    List<Policy> policies() {
        return policies;
    }

    /** Takes the policy that grants as much as the limit in force out of a list, if there is exactly one. */
    void explainBy(List<Policy> candidates) {
        Policy match = null;
        for (Policy candidate : candidates) {
            if (candidate.quota() == limit && (window == Millis.NONE || window == candidate.window())) {
                if (match != null) {
                    return;
                }
                match = candidate;
            }
        }
        if (match != null) {
            candidates.remove(match);
            window(match.window());
            name = name == null ? match.name() : name;
            partition = match.partition();
            unit = match.unit();
        }
    }

    /** {@return whether nothing that both tell contradicts that they tell about the same quota} */
    boolean mayBe(QuotaBuilder other) {
        return Objects.equals(group, other.group)
                && agree(limit, other.limit)
                && agree(remaining, other.remaining)
                && (limit != UNKNOWN || remaining != UNKNOWN || other.limit != UNKNOWN || other.remaining != UNKNOWN);
    }

    private static boolean agree(long a, long b) {
        return a == b || a == UNKNOWN || b == UNKNOWN;
    }

    /** Learns what only the other spelling of the same quota tells. */
    void complete(QuotaBuilder other) {
        limit = limit == UNKNOWN ? other.limit : limit;
        remaining = remaining == UNKNOWN ? other.remaining : remaining;
        reset = resetMillis() == Millis.NONE ? other.resetMillis() : reset;
        window(other.window);
        name = policyName() == null ? other.policyName() : name;
        policies = policies.isEmpty() ? other.policies : policies;
    }

    private long resetMillis() {
        if (resetAfter != Millis.NONE) {
            return resetAfter;
        }
        if (reset != Millis.NONE) {
            return reset;
        }
        return next != Millis.NONE ? next : resetTime;
    }

    private @Nullable String policyName() {
        if (group != null) {
            return Names.of(group);
        }
        if (resource != null) {
            return resource;
        }
        return bucket != null ? bucket : name;
    }

    /** {@return what is known; null if that is nothing to go by} */
    @Nullable Quota quota() {
        long millis = resetMillis();
        if (limit == UNKNOWN && remaining == UNKNOWN && millis == Millis.NONE) {
            return null;
        }
        return new Quota(
                policyName(),
                limit == UNKNOWN ? null : limit,
                remaining == UNKNOWN ? null : remaining,
                duration(millis),
                duration(window),
                unit,
                partition);
    }

    static @Nullable Duration duration(long millis) {
        return millis == Millis.NONE ? null : Duration.ofMillis(millis);
    }

    private static long stricter(long a, long b) {
        return a == UNKNOWN || b == UNKNOWN ? Math.max(a, b) : Math.min(a, b);
    }
}
