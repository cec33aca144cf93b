package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import dev.throttle.signal.header.HeaderName.Family;
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

    private final String unit;
    private @Nullable String limits;
    private @Nullable String announced;
    private boolean malformedLimits;
    private boolean malformedPolicies;

    /** @param unit what is counted where a policy does not say */
    StructuredLimits(String unit) {
        this.unit = unit;
    }

    /** Adds a line of one of the two fields. */
    void add(Meaning meaning, String value) {
        if (meaning == Meaning.POLICY) {
            announced = Text.joined(announced, value);
            malformedPolicies |= !Text.isAscii(value);
        } else {
            limits = Text.joined(limits, value);
            malformedLimits |= !Text.isAscii(value);
        }
    }

    /** {@return the policies announced; empty if the field is missing, and what is certain if it is not well-formed} */
    List<Policy> policies() {
        String field = malformedPolicies ? null : announced;
        if (field == null) {
            return new ArrayList<>(0);
        }
        List<StructuredItem> items = StructuredFields.list(field);
        List<Policy> policies = items == null ? Policy.certain(field) : Policy.of(items);
        policies.replaceAll(policy -> policy.in(unit));
        return policies;
    }

    /**
     * {@return what the field tells about each quota; empty if it is missing or not well-formed}
     *
     * @param policies the policies announced; those that the field tells about are taken out
     */
    List<Quota> quotas(List<Policy> policies, ResetTimeParser when) {
        String field = malformedLimits ? null : limits;
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

    private List<Quota> fromList(List<StructuredItem> items, List<Policy> policies) {
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

    private Quota quota(
            @Nullable String name, @Nullable String partition, long remaining, long reset, List<Policy> policies) {
        Policy policy = take(name, partition, policies);
        if (policy == null) {
            return new Quota(name, null, remaining, QuotaBuilder.duration(reset), null, unit, partition);
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
        String reset = text(members, "reset");
        if (Decimal.parse(reset) != null) {
            bucket.reset(when.untilReset(reset));
        }
        bucket.explainBy(policies);
        List<Quota> quotas = new ArrayList<>(1);
        bucket.addTo(quotas);
        return quotas;
    }

    private static long count(Map<String, StructuredItem> members, String key) {
        Decimal number = Decimal.parse(text(members, key));
        return number == null ? -1 : number.whole();
    }

    private static String text(Map<String, StructuredItem> members, String key) {
        StructuredItem item = members.get(key);
        return item == null || item.value() instanceof String ? "" : String.valueOf(item.value());
    }
}
