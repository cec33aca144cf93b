package dev.throttle.signal.header;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.signal.header.HeaderName.Family;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the headers of one response that tell about limits. */
final class RateLimitHeaderParser {

    private static final String NAME = "name=";

    private final ResetTimeParser when;
    private final HeaderScan names;
    private final RetryAfter retryAfter = new RetryAfter();
    /** Most servers tell about one quota. */
    private final List<QuotaBuilder> unnamed = new ArrayList<>(1);

    private final List<QuotaBuilder> named = new ArrayList<>(0);
    private final StructuredLimits structured = new StructuredLimits(Quota.REQUESTS);
    /** Structured fields that a vendor has put something before, by what that is. */
    private Map<String, StructuredLimits> prefixed = Map.of();

    private @Nullable Boolean shouldRetry;
    private @Nullable Cost cost;

    RateLimitHeaderParser(ResetTimeParser when, HeaderScan names) {
        this.when = when;
        this.names = names;
    }

    /**
     * Reads a header.
     *
     * @param name its name
     * @param value its value without blanks around it, not empty
     */
    void add(HeaderName name, String value) {
        switch (name.meaning()) {
            case RETRY_AFTER -> retryAfter.addStandard(value, when);
            case WAIT_MILLIS -> retryAfter.addMillis(value);
            case WAIT -> retryAfter.addOther(value, when);
            case SHOULD_RETRY -> addShouldRetry(value);
            case STRUCTURED, POLICY -> addStructured(name, value);
            case RESET, RESET_SECONDS, RESET_MINUTES, WINDOW -> addTo(name, name.group(), name.meaning(), value);
            default -> {
                if (Text.isAscii(value)) {
                    addAscii(name, value);
                }
            }
        }
    }

    private void addStructured(HeaderName name, String value) {
        StructuredLimits fields = structured;
        if (name.group() != null) {
            prefixed = prefixed.isEmpty() ? new LinkedHashMap<>() : prefixed;
            if (prefixed.size() >= Text.MOST_MEMBERS && !prefixed.containsKey(name.group())) {
                return;
            }
            fields = prefixed.computeIfAbsent(
                    name.group(),
                    group -> new StructuredLimits(Objects.requireNonNullElse(name.unit(), Quota.REQUESTS)));
        }
        fields.add(name.meaning(), value);
    }

    private void addAscii(HeaderName name, String value) {
        switch (name.meaning()) {
            case COST -> addCost(name, value);
            case CLOSED -> addClosed(value);
            case REMAINING_BY_NAME -> addRemainingByName(value);
            case LIMIT, REMAINING, QUOTA, USED_OF_LIMIT -> {
                if (Text.isDigit(value.charAt(0)) || (value.indexOf(':') < 0 && value.indexOf('=') < 0)) {
                    addTo(name, name.group(), name.meaning(), value);
                } else if (value.startsWith(NAME)) {
                    addNumbersByName(name, value);
                } else {
                    addMembers(name, value);
                }
            }
            default -> addTo(name, name.group(), name.meaning(), value);
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

    private void addCost(HeaderName name, String value) {
        Decimal amount = Decimal.parse(value);
        String unit = Objects.requireNonNullElse(name.unit(), Quota.REQUESTS);
        Cost before = cost == null ? Cost.ONE : cost;
        boolean fits = before.has(unit) || before.units().size() < Cost.MAX_UNITS;
        if (amount != null && amount.ceil() <= Cost.MAX_AMOUNT && fits) {
            cost = before.and(unit, amount.ceil());
        }
    }

    /** {@code name=per-minute,100;name=per-hour,1000}. */
    private void addNumbersByName(HeaderName name, String value) {
        for (String member : CommaList.split(value, ";")) {
            int comma = member.indexOf(',');
            if (member.startsWith(NAME) && comma > 0) {
                String quota = member.substring(NAME.length(), comma);
                addTo(
                        field(name, name.meaning(), quota),
                        quota,
                        name.meaning(),
                        member.substring(comma + 1).strip());
            }
        }
    }

    /**
     * Parts by name: fields of the quota, of one that the part names too, used and granted of one, or the number of a
     * window.
     */
    private void addMembers(HeaderName name, String value) {
        String before = "";
        String scope = "";
        for (Members member : Members.of(value)) {
            String key = member.key();
            int blank = key.indexOf(' ', key.indexOf('/'));
            if (member.value().indexOf('/') > 0) {
                addUsedOfLimit(key, member.value());
            } else if (key.indexOf('/') > 0 && blank > 0) { // token:KEY 1/2000 reset=3598s
                QuotaBuilder bucket = addUsedOfLimit(before, key.substring(0, blank));
                HeaderName part = names.name("ratelimit-" + key.substring(blank + 1));
                if (bucket != null && isField(part.meaning())) {
                    bucket.add(part.meaning(), member.value(), when, names.words());
                }
            } else if (isCount(name.meaning()) && windowOf(key) != Millis.NONE) { // min=59; sec=4
                addTo(field(name, name.meaning(), key), scope + key, name.meaning(), member.value());
            } else if (name.meaning() != Meaning.USED_OF_LIMIT) {
                HeaderName part = names.name("ratelimit-" + member.headerName());
                scope = part.meaning() == Meaning.NAME ? member.value() + "-" : scope;
                addPart(name, part, member.value());
            }
            before = key;
        }
    }

    private static boolean isCount(Meaning meaning) {
        return meaning == Meaning.LIMIT || meaning == Meaning.REMAINING;
    }

    private void addPart(HeaderName name, HeaderName part, String value) {
        if (isField(part.meaning())) {
            HeaderName field =
                    new HeaderName("", part.meaning(), name.family(), null, part.unit(), part.window(), name.windows());
            addTo(field, part.group() == null ? name.group() : part.group(), part.meaning(), value);
        }
    }

    private HeaderName field(HeaderName name, Meaning meaning, String quota) {
        String unit = names.words().unit(Text.lower(quota));
        return new HeaderName("", meaning, name.family(), null, unit, windowOf(quota), name.windows());
    }

    /** {@return the window that a name in a value tells: {@code per-hour}, {@code min}} */
    private static long windowOf(String name) {
        String lower = Text.lower(name);
        long window = Windows.of(lower);
        return window == Millis.NONE && Text.isLetter(lower.charAt(0)) ? Windows.of("1" + lower) : window;
    }

    private @Nullable QuotaBuilder addUsedOfLimit(String quota, String value) {
        QuotaBuilder bucket = new QuotaBuilder(Family.VENDOR, Names.of(quota));
        if (!bucket.addUsedOfLimit(value)) {
            return null;
        }
        keep(bucket, named);
        return bucket;
    }

    private static boolean isField(Meaning meaning) {
        return switch (meaning) {
            case LIMIT,
                    REMAINING,
                    USED,
                    RESET,
                    RESET_SECONDS,
                    RESET_MINUTES,
                    RESET_MILLIS,
                    RESET_AFTER_MILLIS,
                    WINDOW,
                    WINDOW_MILLIS,
                    NAME -> true;
            default -> false;
        };
    }

    private void addClosed(String value) {
        for (String member : CommaList.split(value, ",")) {
            String[] parts = member.split(":", 3);
            Decimal seconds = Decimal.parse(parts[0].strip());
            if (seconds == null || parts.length < 2 || named.size() >= Text.MOST_MEMBERS) {
                continue;
            }
            for (String category : CommaList.split(parts[1], ";")) {
                QuotaBuilder bucket = new QuotaBuilder(Family.VENDOR, Names.of(category));
                bucket.remaining(0);
                bucket.reset(seconds.secondsToMillis());
                keep(bucket, named);
            }
        }
    }

    private void addRemainingByName(String value) {
        for (String member : CommaList.split(value, ",")) {
            int semicolon = member.lastIndexOf(';');
            Decimal remaining = semicolon <= 0
                    ? null
                    : Decimal.parse(member.substring(semicolon + 1).strip());
            if (remaining != null) {
                QuotaBuilder bucket = new QuotaBuilder(Family.VENDOR, Names.of(member.substring(0, semicolon)));
                bucket.remaining(remaining.whole());
                keep(bucket, named);
            }
        }
    }

    private void addTo(HeaderName name, @Nullable String group, Meaning meaning, String value) {
        List<QuotaBuilder> buckets = group == null ? unnamed : named;
        for (int i = 0; i < buckets.size(); i++) {
            QuotaBuilder bucket = buckets.get(i);
            if (bucket.is(name.family(), group)) {
                bucket.know(name);
                bucket.add(meaning, value, when, names.words());
                return;
            }
        }
        if (buckets.size() < Text.MOST_MEMBERS) {
            QuotaBuilder bucket = new QuotaBuilder(name.family(), group);
            bucket.know(name);
            bucket.add(meaning, value, when, names.words());
            buckets.add(bucket);
        }
    }

    private static void keep(QuotaBuilder bucket, List<QuotaBuilder> buckets) {
        if (buckets.size() < Text.MOST_MEMBERS) {
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

    /** {@return what the call has cost; null if the headers do not tell} */
    @Nullable Cost cost() {
        return cost;
    }

    /** {@return what the headers tell about each quota} */
    List<Quota> quotas() {
        List<Policy> policies = structured.policies();
        List<Quota> quotas = new ArrayList<>(unnamed.size() + named.size());
        quotas.addAll(structured.quotas(policies, when));
        close(unnamed, policies);
        close(named, policies);
        if (named.size() == 1 && unnamed.size() == 1 && named.get(0).hasPartIn(unnamed.get(0))) {
            named.get(0).complete(unnamed.remove(0));
        }
        if (quotas.isEmpty() && !unnamed.isEmpty()) {
            unnamed.sort((a, b) -> a.family().compareTo(b.family()));
            addAll(unnamed, policies, quotas);
        }
        addPolicies(policies, quotas);
        List<Quota> ofVendors = new ArrayList<>(0);
        prefixed.forEach((group, fields) -> {
            List<Policy> own = fields.policies();
            List<Quota> known = fields.quotas(own, when);
            if (!known.isEmpty()) { // older spellings tell the same
                named.removeIf(bucket -> bucket.is(Family.VENDOR, group));
            }
            ofVendors.addAll(known);
            addPolicies(own, ofVendors);
        });
        addAll(named, List.of(), quotas);
        quotas.addAll(ofVendors);
        return quotas.size() > Text.MOST_MEMBERS ? quotas.subList(0, Text.MOST_MEMBERS) : quotas;
    }

    private void close(List<QuotaBuilder> buckets, List<Policy> policies) {
        for (int i = 0; i < buckets.size(); i++) {
            buckets.get(i).close(when, policies);
        }
    }

    private static void addAll(List<QuotaBuilder> buckets, List<Policy> policies, List<Quota> quotas) {
        for (int i = 0; i < buckets.size(); i++) {
            if (isRepetition(buckets, i)) {
                buckets.remove(i--);
            }
        }
        for (int i = 0; i < buckets.size(); i++) {
            QuotaBuilder bucket = buckets.get(i);
            bucket.explainBy(policies);
            bucket.addTo(quotas);
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
