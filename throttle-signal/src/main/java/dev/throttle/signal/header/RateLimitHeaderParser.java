package dev.throttle.signal.header;

import dev.throttle.signal.Quota;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the headers of one response that tell about limits. */
final class RateLimitHeaderParser {

    private final ResetTimeParser when;
    private final RetryAfter retryAfter = new RetryAfter();
    /** Most servers tell about one quota. */
    private final List<QuotaBuilder> unnamed = new ArrayList<>(1);

    private final List<QuotaBuilder> named = new ArrayList<>(0);
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
        switch (name.kind()) {
            case RETRY_AFTER -> retryAfter.addStandard(value, when);
            case RETRY_AFTER_MILLIS -> retryAfter.addMillis(value);
            case OTHER_RETRY_AFTER -> retryAfter.addOther(value, when);
            case SHOULD_RETRY -> addShouldRetry(value);
            case RATELIMIT -> {
                rateLimit = HeaderLines.add(rateLimit, value);
                malformedRateLimit |= !Text.isAscii(value);
            }
            case POLICY -> {
                policy = HeaderLines.add(policy, value);
                malformedPolicy |= !Text.isAscii(value);
            }
            case QUOTA -> addQuota(name.quota(), value);
            case VENDOR -> {
                if (!Text.isAscii(value) || !VendorFields.read(name.lower(), value, when, named)) {
                    addQuota(name.quota(), value);
                }
            }
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

    private void addQuota(@Nullable QuotaName parts, String value) {
        if (parts == null) {
            return;
        }
        switch (parts.field()) {
            case RETRY_AFTER -> retryAfter.addOther(value, when);
            case RETRY_AFTER_MILLIS -> retryAfter.addMillis(value);
            case RESET, RESET_AFTER, WINDOW -> addTo(parts, value);
            default -> {
                if (Text.isAscii(value)) {
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
        List<Quota> quotas = new ArrayList<>(unnamed.size() + named.size());
        quotas.addAll(StructuredLimits.quotas(malformedRateLimit ? null : HeaderLines.text(rateLimit), policies, when));
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
        for (int i = 0; i < buckets.size(); i++) {
            buckets.get(i).close();
            if (isRepetition(buckets, i)) {
                buckets.remove(i--);
            }
        }
        for (QuotaBuilder bucket : buckets) {
            bucket.explainBy(policies);
            Quota quota = bucket.quota();
            if (quota != null) {
                quotas.add(quota);
            }
            addPolicies(bucket.policies(), quotas);
        }
    }

    /** {@return whether one before it tells about the same quota, and knows now what only this one told} */
    private static boolean isRepetition(List<QuotaBuilder> buckets, int at) {
        for (int i = 0; i < at; i++) {
            if (buckets.get(i).mayBe(buckets.get(at))) {
                buckets.get(i).complete(buckets.get(at));
                return true;
            }
        }
        return false;
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
