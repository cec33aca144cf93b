package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a header's name that tells about a quota, such as {@code X-RateLimit-Remaining-Tokens} or
 * {@code anthropic-ratelimit-tokens-remaining}.
 *
 * @param family the spelling, by which headers belong together
 * @param group the quota's name if the header's name has one
 * @param field what the header says about it
 */
record QuotaName(Family family, @Nullable String group, Field field) {

    /** Spellings, the newest first. */
    enum Family {
        RATELIMIT,
        X_RATELIMIT,
        X_RATE_LIMIT,
        /** With the vendor's name in front. */
        VENDOR
    }

    private static final String SOLID = "ratelimit";
    private static final String HYPHENED = "rate-limit";
    private static final String HUBSPOT = "hubspot";

    /** {@return the parts of a name in lower case; null if it is none of a quota} */
    static @Nullable QuotaName parse(String name) {
        if (name.startsWith("x-app-limit-") || name.startsWith("x-user-limit-")) {
            return twitter(name);
        }
        int solid = find(name, SOLID);
        int at = solid >= 0 ? solid : find(name, HYPHENED);
        if (at < 0) {
            return null;
        }
        int end = at + (solid >= 0 ? SOLID : HYPHENED).length();
        String vendor = vendor(name, at);
        Family family = family(at, solid >= 0, vendor);
        if (end == name.length()) {
            return vendor == null && family != Family.RATELIMIT ? new QuotaName(family, null, Field.LIMIT) : null;
        }
        return split(family, vendor, name, end + 1);
    }

    private static @Nullable QuotaName split(Family family, @Nullable String vendor, String name, int from) {
        Field.Match start = Field.atStart(name, from);
        if (start != null) {
            int end = from + start.length();
            return new QuotaName(family, end == name.length() ? vendor : name.substring(end + 1), start.field());
        }
        Field.Match end = Field.atEnd(name, from);
        if (end != null) {
            return new QuotaName(family, name.substring(from, name.length() - end.length() - 1), end.field());
        }
        boolean isWindow = HUBSPOT.equals(vendor) && Windows.of(name.substring(from)) != Millis.NONE;
        return isWindow ? new QuotaName(family, name.substring(from), Field.LIMIT) : null;
    }

    /** The limits over 24 hours that stand beside the {@code X-Rate-Limit} ones. */
    private static @Nullable QuotaName twitter(String name) {
        int owner = "x-".length();
        int hyphen = name.indexOf('-', owner);
        int from = hyphen + "-limit-".length();
        Field.Match end = Field.atEnd(name, from);
        if (end == null) {
            return null;
        }
        String span = name.substring(from, name.length() - end.length() - 1);
        return new QuotaName(Family.VENDOR, name.substring(owner, hyphen) + "-" + span, end.field());
    }

    /** Finds words that have a hyphen, or nothing, on each side. */
    private static int find(String name, String words) {
        int at = name.indexOf(words);
        if (at < 0 || (at > 0 && name.charAt(at - 1) != '-')) {
            return -1;
        }
        int end = at + words.length();
        return end == name.length() || name.charAt(end) == '-' ? at : -1;
    }

    private static @Nullable String vendor(String name, int at) {
        int from = name.startsWith("x-") ? 2 : 0;
        return at - 1 > from ? name.substring(from, at - 1) : null;
    }

    private static Family family(int at, boolean solid, @Nullable String vendor) {
        if (vendor != null) {
            return Family.VENDOR;
        }
        if (!solid) {
            return Family.X_RATE_LIMIT;
        }
        return at == 0 ? Family.RATELIMIT : Family.X_RATELIMIT;
    }
}
