package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.header.QuotaName.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The structured fields of the IETF drafts: {@code RateLimit-Policy} announces policies, and {@code RateLimit} tells
 * what is left, in a list since the eighth draft and in a dictionary in the seventh.
 */
final class StructuredLimits {

    private StructuredLimits() {}

    /** {@return the policies announced; empty if the field is missing or not well-formed} */
    static List<Policy> policies(@Nullable String field) {
        List<StructuredItem> items = field == null ? null : StructuredFields.list(field);
        return items == null ? new ArrayList<>(0) : Policy.of(items);
    }

    /**
     * {@return what the field tells about each quota; empty if it is missing or not well-formed}
     *
     * @param field the value of {@code RateLimit}; null if it is missing
     * @param policies the policies announced; those that the field tells about are taken out
     */
    static List<Quota> quotas(@Nullable String field, List<Policy> policies, ResetTimeParser when) {
        if (field == null) {
            return List.of();
        }
        List<StructuredItem> items = StructuredFields.list(field);
        if (items != null) {
            return fromList(items, policies);
        }
        Map<String, StructuredItem> members = StructuredFields.dictionary(field);
        return members == null ? List.of() : fromDictionary(members, policies, when);
    }

    private static List<Quota> fromList(List<StructuredItem> items, List<Policy> policies) {
        List<Quota> quotas = new ArrayList<>();
        for (StructuredItem item : items) {
            String text = item.text();
            Long remaining = item.count("r");
            if (text == null || remaining == null) {
                continue;
            }
            Long seconds = item.count("t");
            long reset = seconds == null ? Millis.NONE : new Decimal(seconds, 0).secondsToMillis();
            add(quotas, quota(Names.of(text), Policy.partition(item), remaining, reset, policies));
        }
        return quotas;
    }

    private static Quota quota(
            @Nullable String name, @Nullable String partition, long remaining, long reset, List<Policy> policies) {
        Policy policy = take(name, partition, policies);
        if (policy == null) {
            return new Quota(name, null, remaining, QuotaBuilder.duration(reset), null, Quota.REQUESTS, partition);
        }
        return new Quota(
                name,
                policy.quota(),
                remaining,
                QuotaBuilder.duration(reset),
                QuotaBuilder.duration(policy.window()),
                policy.unit(),
                partition == null ? policy.partition() : partition);
    }

    /** Adds a quota; of two that tell about the same one the stricter numbers count. */
    private static void add(List<Quota> quotas, Quota quota) {
        for (int i = 0; i < quotas.size(); i++) {
            if (quotas.get(i).isSameAs(quota)) {
                quotas.set(i, stricter(quotas.get(i), quota));
                return;
            }
        }
        quotas.add(quota);
    }

    private static Quota stricter(Quota a, Quota b) {
        long remaining =
                Math.min(Objects.requireNonNullElse(a.remaining(), 0L), Objects.requireNonNullElse(b.remaining(), 0L));
        boolean later = a.reset() == null || (b.reset() != null && b.reset().compareTo(a.reset()) > 0);
        return new Quota(
                a.policy(), a.limit(), remaining, later ? b.reset() : a.reset(), a.window(), a.unit(), a.partition());
    }

    /** Takes the policy of a name out of a list, also where only one of the two names a partition. */
    private static @Nullable Policy take(@Nullable String name, @Nullable String partition, List<Policy> policies) {
        Policy found = null;
        for (Policy policy : policies) {
            if (!Objects.equals(policy.name(), name)) {
                continue;
            }
            if (Objects.equals(policy.partition(), partition)) {
                found = policy;
                break;
            }
            if (found == null && (partition == null || policy.partition() == null)) {
                found = policy;
            }
        }
        policies.remove(found);
        return found;
    }

    private static List<Quota> fromDictionary(
            Map<String, StructuredItem> members, List<Policy> policies, ResetTimeParser when) {
        QuotaBuilder bucket = new QuotaBuilder(Family.RATELIMIT, null);
        bucket.limit(count(members, "limit"));
        bucket.remaining(count(members, "remaining"));
        long reset = count(members, "reset");
        if (reset >= 0) {
            bucket.reset(when.untilReset(Long.toString(reset)));
        }
        bucket.explainBy(policies);
        Quota quota = bucket.quota();
        return quota == null ? List.of() : List.of(quota);
    }

    private static long count(Map<String, StructuredItem> members, String key) {
        StructuredItem item = members.get(key);
        return item != null && item.value() instanceof Long number && number >= 0 ? number : -1;
    }
}
