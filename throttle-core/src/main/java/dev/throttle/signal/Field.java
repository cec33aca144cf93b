package dev.throttle.signal;

import org.jspecify.annotations.Nullable;

/** What a header says about a quota, by the words that name it. */
enum Field {
    LIMIT("limit", Place.ANYWHERE),
    REMAINING("remaining", Place.ANYWHERE),
    RESET("reset", Place.ANYWHERE),
    /** From now, in seconds; also where {@link #RESET} names an instant. */
    RESET_AFTER("reset-after", Place.ANYWHERE),
    RESET_MILLIS("reset-ms", Place.ANYWHERE),
    /** A date that repeats {@link #RESET}. */
    RESET_TIME("resettime", Place.LAST),
    /** The earliest time of the next request. */
    NEXT("next", Place.LAST),
    WINDOW_MILLIS("interval-milliseconds", Place.LAST),
    WINDOW_SECONDS("interval-seconds", Place.LAST),
    PERIOD("period", Place.LAST),
    WINDOW("window", Place.LAST),
    /** The size of a bucket, where there is no limit. */
    BURST("burst-capacity", Place.LAST),
    MAX("max", Place.LAST),
    RESOURCE("resource", Place.ALONE),
    BUCKET("bucket", Place.ALONE),
    NAME("name", Place.ALONE),
    RETRY_AFTER("retry-after", Place.LAST),
    RETRY_AFTER_MILLIS("retry-after-ms", Place.LAST);

    /** Where in a name the words may stand. */
    private enum Place {
        /** Before or after the name of a quota. */
        ANYWHERE,
        /** After it, if there is one. */
        LAST,
        /** Only where there is none. */
        ALONE
    }

    private static final Field[] ALL = values();

    private final String words;
    private final Place place;

    Field(String words, Place place) {
        this.words = words;
        this.place = place;
    }

    /** {@return how many characters of a name the field's words take} */
    int length() {
        return words.length();
    }

    /** {@return the field that a name begins with, the longest if there are several; null if there is none} */
    static @Nullable Field atStart(String name, int from) {
        Field found = null;
        for (Field field : ALL) {
            int end = from + field.length();
            boolean begins = name.startsWith(field.words, from)
                    && (end == name.length() || (field.place == Place.ANYWHERE && name.charAt(end) == '-'));
            if (begins && (found == null || field.length() > found.length())) {
                found = field;
            }
        }
        return found;
    }

    /**
     * {@return the field that a name ends with after a hyphen, the longest if there are several; null if there is none}
     */
    static @Nullable Field atEnd(String name, int from) {
        Field found = null;
        for (Field field : ALL) {
            int start = name.length() - field.length();
            boolean ends = field.place != Place.ALONE
                    && start > from
                    && name.charAt(start - 1) == '-'
                    && name.endsWith(field.words);
            if (ends && (found == null || field.length() > found.length())) {
                found = field;
            }
        }
        return found;
    }
}
