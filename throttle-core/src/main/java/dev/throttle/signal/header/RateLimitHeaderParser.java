package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the headers of one response that tell about limits. */
final class RateLimitHeaderParser {

    private final ResetTimeParser when;
    private final RetryAfter retryAfter = new RetryAfter();
    private final List<QuotaBuilder> unnamed = new ArrayList<>();
    private final List<QuotaBuilder> named = new ArrayList<>();
    private @Nullable HeaderLines rateLimit;
    private @Nullable HeaderLines policy;
    private boolean malformedRateLimit;
    private boolean malformedPolicy;
    private @Nullable Boolean shouldRetry;

    RateLimitHeaderParser(ResetTimeParser when) {
        this.when = when;
    }

    /**
     * Reads a header.
     *
     * @param name its name
     * @param value its value without blanks around it, not empty
     */
    void add(HeaderName name, String value) {
        boolean ascii = Text.isAscii(value);
        switch (name.lower()) {
            case "retry-after" -> retryAfter.addStandard(value, when);
            case "retry-after-ms", "x-retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after" ->
                retryAfter.addMillis(value);
            case "x-retry-after", "retry_after", "x-retry-in" -> retryAfter.addOther(value, when);
            case "x-should-retry", "stripe-should-retry" -> addShouldRetry(value);
            case "ratelimit" -> {
                rateLimit = HeaderLines.add(rateLimit, value);
                malformedRateLimit |= !ascii;
            }
            case "ratelimit-policy" -> {
                policy = HeaderLines.add(policy, value);
                malformedPolicy |= !ascii;
            }
            default -> addQuota(name, value, ascii);
        }
    }

    /** Of several, a no counts. */
    private void addShouldRetry(String value) {
        switch (Text.lower(value)) {
            case "true" -> shouldRetry = !Boolean.FALSE.equals(shouldRetry);
            case "false" -> shouldRetry = false;
            default -> {}
        }
    }

    private void addQuota(HeaderName name, String value, boolean ascii) {
        if (name.lower().startsWith("beta-") || (ascii && VendorFields.read(name.lower(), value, when, named))) {
            return;
        }
        QuotaName parts = name.quota();
        if (parts == null) {
            return;
        }
        switch (parts.field()) {
            case RETRY_AFTER -> retryAfter.addOther(value, when);
            case RETRY_AFTER_MILLIS -> retryAfter.addMillis(value);
            case RESET, RESET_AFTER, WINDOW -> addTo(parts, value);
            default -> {
                if (ascii) {
                    addTo(parts, value);
                }
            }
        }
    }

    private void addTo(QuotaName name, String value) {
        List<QuotaBuilder> buckets = name.group() == null ? unnamed : named;
        for (QuotaBuilder bucket : buckets) {
            if (bucket.is(name.family(), name.group())) {
                bucket.add(name.field(), value, when);
                return;
            }
        }
        if (buckets.size() < Text.MOST_MEMBERS) {
            QuotaBuilder bucket = new QuotaBuilder(name.family(), name.group());
            bucket.add(name.field(), value, when);
            buckets.add(bucket);
        }
    }

    /** {@return how long the server asks to stay away in milliseconds; {@link Millis#NONE} if it does not} */
    long retryAfterMillis() {
        return retryAfter.millis();
    }

    /** {@return whether the server says that the request may be sent again; null if it does not say} */
    @Nullable Boolean shouldRetry() {
        return shouldRetry;
    }

    /** {@return what the headers tell about each quota} */
    List<Quota> quotas() {
        List<Policy> policies = StructuredLimits.policies(malformedPolicy ? null : HeaderLines.text(policy));
        List<Quota> quotas = new ArrayList<>(
                StructuredLimits.quotas(malformedRateLimit ? null : HeaderLines.text(rateLimit), policies, when));
        if (quotas.isEmpty() && !unnamed.isEmpty()) {
            unnamed.sort((a, b) -> a.family().compareTo(b.family()));
            addAll(unnamed, policies, quotas);
        }
        addPolicies(policies, quotas);
        if (!named.isEmpty()) {
            addAll(named, List.of(), quotas);
        }
        return quotas.size() > Text.MOST_MEMBERS ? quotas.subList(0, Text.MOST_MEMBERS) : quotas;
    }

    private static void addAll(List<QuotaBuilder> buckets, List<Policy> policies, List<Quota> quotas) {
        List<QuotaBuilder> distinct = new ArrayList<>(buckets.size());
        for (QuotaBuilder bucket : buckets) {
            bucket.close();
            QuotaBuilder same = same(bucket, distinct);
            if (same == null) {
                distinct.add(bucket);
            } else {
                same.complete(bucket);
            }
        }
        for (QuotaBuilder bucket : distinct) {
            bucket.explainBy(policies);
            Quota quota = bucket.quota();
            if (quota != null) {
                quotas.add(quota);
            }
            addPolicies(bucket.policies(), quotas);
        }
    }

    private static @Nullable QuotaBuilder same(QuotaBuilder bucket, List<QuotaBuilder> distinct) {
        for (QuotaBuilder other : distinct) {
            if (other.mayBe(bucket)) {
                return other;
            }
        }
        return null;
    }

    private static void addPolicies(List<Policy> policies, List<Quota> quotas) {
        for (Policy policy : policies) {
            quotas.add(new Quota(
                    policy.name(),
                    policy.quota(),
                    null,
                    null,
                    QuotaBuilder.duration(policy.window()),
                    policy.unit(),
                    policy.partition()));
        }
    }
}
