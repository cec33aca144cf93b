package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/** The {@code Date} of a response. A server sends the same one for a second, so the last ones are remembered. */
public record SentDate(String text, long millis) {

    /** Of the form in use, {@code Sun, 06 Nov 1994 08:49:37 GMT}. */
    private static final int LENGTH = 29;

    private static final int COMMA_AT = 3;
    /** Behind a year of four digits; those of two are not the same at all times. */
    private static final int YEAR_END_AT = 16;

    private static final int LAST_DIGIT_AT = 24;
    /** A power of two. Servers whose clocks differ by a second do not take the place from each other. */
    private static final int PLACES = 16;

    /** Read and written without order: a record is whole in whichever thread sees it. */
    private static final @Nullable SentDate[] SEEN = new SentDate[PLACES];

    /**
     * {@return the instant of a date in milliseconds since the epoch; {@link Millis#NONE} if the text is none}
     *
     * @param nowMillis what a year of two digits is near to
     */
    public static long millis(String text, long nowMillis) {
        boolean isUsual = text.length() == LENGTH && text.charAt(COMMA_AT) == ',' && text.charAt(YEAR_END_AT) == ' ';
        int place = isUsual ? text.charAt(LAST_DIGIT_AT) & PLACES - 1 : 0;
        SentDate seen = isUsual ? SEEN[place] : null;
        if (seen != null && seen.text.equals(text)) {
            return seen.millis;
        }
        String clean = Text.clean(text);
        long millis = clean == null ? Millis.NONE : Dates.httpDate(clean, nowMillis);
        if (isUsual) {
            SEEN[place] = new SentDate(text, millis);
        }
        return millis;
    }
}
