package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/**
 * A header's name, taken apart. Servers send the same few names with every response, so the last ones are remembered.
 *
 * @param sent the name as sent
 * @param lower the name in lower case
 * @param quota its parts if it tells about a quota
 */
record HeaderName(String sent, String lower, @Nullable QuotaName quota) {

    /** A power of two; names that share a place take it from each other. */
    private static final int PLACES = 256;
    /** Longer names are not remembered: what servers make up must not fill the memory. */
    private static final int LONGEST = 64;

    /** Read and written without order: a record is whole in whichever thread sees it. */
    private static final @Nullable HeaderName[] SEEN = new HeaderName[PLACES];

    static HeaderName of(String sent) {
        int hash = sent.hashCode();
        int place = (hash ^ hash >>> 16) & PLACES - 1;
        HeaderName seen = SEEN[place];
        if (seen != null && seen.sent.equals(sent)) {
            return seen;
        }
        String lower = Text.lower(sent);
        HeaderName name = new HeaderName(sent, lower, QuotaName.parse(lower));
        if (sent.length() <= LONGEST) {
            SEEN[place] = name;
        }
        return name;
    }
}
