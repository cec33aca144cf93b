package dev.throttle.signal.header;

import dev.throttle.signal.header.QuotaName.Family;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Headers that single vendors have made up, with a value of their own form. */
final class VendorFields {

    private static final String SHOPIFY = "x-shopify-shop-api-call-limit";
    private static final String SALESFORCE = "sforce-limit-info";
    private static final String SENTRY = "x-sentry-rate-limits";
    private static final String AZURE_RESOURCE = "x-ms-ratelimit-remaining-resource";
    private static final String ZENDESK = "zendesk-ratelimit-";

    private VendorFields() {}

    /** {@return whether a name in lower case may be that of one of these} */
    static boolean isOne(String name) {
        return switch (name) {
            case SHOPIFY, SALESFORCE, SENTRY, AZURE_RESOURCE -> true;
            default -> name.startsWith(ZENDESK);
        };
    }

    /**
     * Reads a header if it is one of these.
     *
     * @param name its name in lower case
     * @return whether it was
     */
    static boolean read(String name, String value, ResetTimeParser when, List<QuotaBuilder> buckets) {
        switch (name) {
            case SHOPIFY -> addUsed("shopify-shop", value, buckets);
            case SALESFORCE -> readSalesforce(value, buckets);
            case SENTRY -> readSentry(value, buckets);
            case AZURE_RESOURCE -> readAzureResource(value, buckets);
            default -> {
                return name.startsWith(ZENDESK) && readZendesk(name.substring(ZENDESK.length()), value, when, buckets);
            }
        }
        return true;
    }

    /** {@code 32/40}: used and granted. */
    private static void addUsed(String policy, String value, List<QuotaBuilder> buckets) {
        int slash = value.indexOf('/');
        Decimal used = slash < 0 ? null : number(value.substring(0, slash));
        Decimal limit = slash < 0 ? null : number(value.substring(slash + 1));
        if (used != null && limit != null) {
            QuotaBuilder bucket = new QuotaBuilder(Family.VENDOR, Names.of(policy));
            bucket.limit(limit.whole());
            bucket.remaining(Math.max(0, limit.whole() - used.ceil()));
            add(bucket, buckets);
        }
    }

    /** {@code api-usage=25/5000; per-app-api-usage=17/250(appName=sample)}. */
    private static void readSalesforce(String value, List<QuotaBuilder> buckets) {
        for (String member : split(value, ";")) {
            int equals = member.indexOf('=');
            if (equals > 0) {
                int bracket = member.indexOf('(', equals);
                String used = member.substring(equals + 1, bracket < 0 ? member.length() : bracket);
                addUsed(member.substring(0, equals), used, buckets);
            }
        }
    }

    /**
     * {@code 60:error;transaction:organization}: seconds, categories that are closed, and more that does not matter.
     */
    private static void readSentry(String value, List<QuotaBuilder> buckets) {
        for (String member : split(value, ",")) {
            String[] parts = member.split(":", 3);
            Decimal seconds = number(parts[0]);
            if (seconds == null || parts.length < 2) {
                continue;
            }
            for (String category : split(parts[1], ";")) {
                QuotaBuilder bucket = new QuotaBuilder(Family.VENDOR, Names.of(category));
                bucket.remaining(0);
                bucket.reset(seconds.secondsToMillis());
                add(bucket, buckets);
            }
        }
    }

    /**
     * {@code Microsoft.Compute/HighCostGet3Min;197,Microsoft.Compute/HighCostGet30Min;1192}: names and what remains.
     */
    private static void readAzureResource(String value, List<QuotaBuilder> buckets) {
        for (String member : split(value, ",")) {
            int semicolon = member.lastIndexOf(';');
            Decimal remaining = semicolon <= 0 ? null : number(member.substring(semicolon + 1));
            if (remaining != null) {
                QuotaBuilder bucket = new QuotaBuilder(Family.VENDOR, Names.of(member.substring(0, semicolon)));
                bucket.remaining(remaining.whole());
                add(bucket, buckets);
            }
        }
    }

    /** {@code total=100; remaining=99; resets=41}. */
    private static boolean readZendesk(String policy, String value, ResetTimeParser when, List<QuotaBuilder> buckets) {
        if (value.indexOf('=') < 0) {
            return false;
        }
        QuotaBuilder bucket = new QuotaBuilder(Family.VENDOR, Names.of(policy));
        for (String member : split(value, ";")) {
            int equals = member.indexOf('=');
            String key = equals < 0 ? "" : member.substring(0, equals).toLowerCase(Locale.ROOT);
            String clean = Text.clean(member.substring(equals + 1));
            if (clean == null) {
                continue;
            }
            switch (key) {
                case "total" -> bucket.add(Field.LIMIT, clean, when);
                case "remaining" -> bucket.add(Field.REMAINING, clean, when);
                case "resets" -> bucket.add(Field.RESET, clean, when);
                default -> {}
            }
        }
        add(bucket, buckets);
        return true;
    }

    private static void add(QuotaBuilder bucket, List<QuotaBuilder> buckets) {
        if (buckets.size() < Text.MOST_MEMBERS) {
            buckets.add(bucket);
        }
    }

    private static @Nullable Decimal number(String text) {
        String clean = Text.clean(text);
        return clean == null ? null : Decimal.parse(clean);
    }

    /** {@return the members without the blanks around them; none if there are too many} */
    private static List<String> split(String value, String separator) {
        String[] members = value.split(separator, Text.MOST_MEMBERS + 1);
        if (members.length > Text.MOST_MEMBERS) {
            return List.of();
        }
        for (int i = 0; i < members.length; i++) {
            members[i] = members[i].strip();
        }
        return List.of(members);
    }
}
