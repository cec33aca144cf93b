package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/**
 * What a header's name tells.
 *
 * @param sent the name as sent
 * @param meaning what its values tell
 * @param family the spelling, by which headers belong together
 * @param group the name of the quota if the header's name has one
 * @param unit what is counted; null if the name does not say
 * @param window the window in milliseconds; {@link Millis#NONE} if the name does not say
 * @param windows the windows of a list of numbers; empty if unknown
 * @param guess the vendor whose header this may be, if the host is not known: it is one if another of its headers is
 *     there too; null if there is no doubt
 */
record HeaderName(
        String sent,
        Meaning meaning,
        Family family,
        @Nullable String group,
        @Nullable String unit,
        long window,
        Windows.Row windows,
        @Nullable String guess) {

    /** Spellings, the newest first. */
    enum Family {
        RATELIMIT,
        X_RATELIMIT,
        X_RATE_LIMIT,
        /** With the vendor's name in front, or made up by a vendor. */
        VENDOR
    }

    HeaderName(
            String sent,
            Meaning meaning,
            Family family,
            @Nullable String group,
            @Nullable String unit,
            long window,
            Windows.Row windows) {
        this(sent, meaning, family, group, unit, window, windows, null);
    }

    /** A name that tells nothing, whatever it is. */
    static final HeaderName NOTHING = nothing("");

    /** {@return a name that tells nothing about limits} */
    static HeaderName nothing(String sent) {
        return new HeaderName(sent, Meaning.IGNORED, Family.VENDOR, null, null, Millis.NONE, Windows.Row.UNKNOWN);
    }

    boolean tells() {
        return meaning != Meaning.IGNORED;
    }

    HeaderName as(String otherSent) {
        return new HeaderName(otherSent, meaning, family, group, unit, window, windows, guess);
    }
}
