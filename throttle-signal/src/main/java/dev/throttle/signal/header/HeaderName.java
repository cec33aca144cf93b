package dev.throttle.signal.header;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A header's name, taken apart. Servers send the same few names with every response, so the first ones are kept.
 *
 * @param lower the name in lower case
 * @param kind what headers of this name tell
 * @param quota its parts if it tells about a quota
 */
record HeaderName(String lower, Kind kind, @Nullable QuotaName quota) {

    /** What headers of a name tell. */
    enum Kind {
        RETRY_AFTER,
        RETRY_AFTER_MILLIS,
        /** A wait, in a spelling that counts only where the others are missing. */
        OTHER_RETRY_AFTER,
        SHOULD_RETRY,
        /** {@code RateLimit} of the IETF drafts. */
        RATELIMIT,
        /** {@code RateLimit-Policy} of the IETF drafts. */
        POLICY,
        /** One thing about one quota. */
        QUOTA,
        /** What a vendor has made up, with a value of its own form. */
        VENDOR
    }

    /** Names beyond these are taken apart each time: what servers make up must not fill the memory. */
    private static final int MOST_KNOWN = 512;

    private static final int LONGEST_KNOWN = 64;
    private static final Map<String, HeaderName> KNOWN = new ConcurrentHashMap<>();

    /** How many characters of a word are looked at without asking whether they are there. */
    private static final int LONGEST_LOOK = 3;

    /** {@return a name taken apart; null if it tells nothing about limits} */
    static @Nullable HeaderName of(String sent) {
        if (!mayTell(sent)) {
            return null;
        }
        HeaderName known = KNOWN.get(sent);
        if (known != null) {
            return known;
        }
        HeaderName name = parse(sent);
        if (name != null && sent.length() <= LONGEST_KNOWN && KNOWN.size() < MOST_KNOWN) {
            KNOWN.put(sent, name);
        }
        return name;
    }

    private static @Nullable HeaderName parse(String sent) {
        String lower = Text.lower(sent);
        QuotaName quota = QuotaName.parse(lower);
        Kind kind = kind(lower, quota);
        return kind == null ? null : new HeaderName(lower, kind, quota);
    }

    private static @Nullable Kind kind(String lower, @Nullable QuotaName quota) {
        return switch (lower) {
            case "retry-after" -> Kind.RETRY_AFTER;
            case "retry-after-ms", "x-retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after" ->
                Kind.RETRY_AFTER_MILLIS;
            case "x-retry-after", "retry_after", "x-retry-in" -> Kind.OTHER_RETRY_AFTER;
            case "x-should-retry", "stripe-should-retry" -> Kind.SHOULD_RETRY;
            case "ratelimit" -> Kind.RATELIMIT;
            case "ratelimit-policy" -> Kind.POLICY;
            default -> {
                if (lower.startsWith("beta-")) {
                    yield null;
                }
                if (VendorFields.isOne(lower)) {
                    yield Kind.VENDOR;
                }
                yield quota == null ? null : Kind.QUOTA;
            }
        };
    }

    /** {@return whether a word of a name begins like one of those that names of limits have: rate, retry, limit} */
    private static boolean mayTell(String name) {
        if (isWord(name, 0)) {
            return true;
        }
        int end = name.length() - LONGEST_LOOK;
        for (int i = 0; i < end; i++) {
            if (name.charAt(i) == '-' && isWord(name, i + 1)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWord(String name, int at) {
        char first = lower(name, at);
        if (first == 'r') {
            return lower(name, at + 2) == 't' && (Text.hasAt(name, at, "rate") || Text.hasAt(name, at, "retry"));
        }
        return first == 'l' && Text.hasAt(name, at, "limit");
    }

    private static char lower(String name, int at) {
        return (char) (name.charAt(at) | 0x20);
    }
}
