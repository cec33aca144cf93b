package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/** What a header says about a quota, by the words that name it. */
enum Field {
    LIMIT(Place.ANYWHERE, "limit"),
    REMAINING(Place.ANYWHERE, "remaining"),
    RESET(
            Place.ANYWHERE,
            "reset",
            "reset-at",
            "reset-time",
            "reset-timestamp",
            "reset-date",
            "reset-epoch",
            "reset-in"),
    /** From now, in seconds; also where {@link #RESET} names an instant. */
    RESET_AFTER(Place.ANYWHERE, "reset-after", "reset-seconds"),
    RESET_MILLIS(Place.ANYWHERE, "reset-ms", "reset-millis", "reset-milliseconds"),
    RESET_AFTER_MILLIS(Place.ANYWHERE, "reset-after-ms"),
    /** A date that repeats {@link #RESET}. */
    RESET_TIME(Place.LAST, "resettime"),
    /** The earliest time of the next request. */
    NEXT(Place.LAST, "next"),
    WINDOW(Place.LAST, "window", "period", "interval", "window-seconds", "interval-seconds"),
    WINDOW_MILLIS(Place.LAST, "window-ms", "interval-ms", "interval-milliseconds"),
    /** The size of a bucket, where there is no limit. */
    BURST(Place.LAST, "burst-capacity"),
    MAX(Place.LAST, "max"),
    RESOURCE(Place.ALONE, "resource"),
    BUCKET(Place.ALONE, "bucket"),
    NAME(Place.ALONE, "name"),
    RETRY_AFTER(Place.LAST, "retry-after"),
    RETRY_AFTER_MILLIS(Place.LAST, "retry-after-ms");

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

    private final Place place;

    @SuppressWarnings("ImmutableEnumChecker") // never written, and read for every header
    private final String[] words;

    Field(Place place, String... words) {
        this.place = place;
        this.words = words;
    }

    /** {@return the field that a name begins with from a place on, the one of the most words; null if there is none} */
    static @Nullable Match atStart(String name, int from) {
        Match found = null;
        for (Field field : ALL) {
            for (String words : field.words) {
                int end = from + words.length();
                boolean begins = name.startsWith(words, from)
                        && (end == name.length() || (field.place == Place.ANYWHERE && name.charAt(end) == '-'));
                found = begins ? longer(found, field, words) : found;
            }
        }
        return found;
    }

    /** {@return the field that a name ends with after a hyphen, the one of the most words; null if there is none} */
    static @Nullable Match atEnd(String name, int from) {
        Match found = null;
        for (Field field : ALL) {
            for (String words : field.words) {
                int start = name.length() - words.length();
                boolean ends = field.place != Place.ALONE
                        && start > from
                        && name.charAt(start - 1) == '-'
                        && name.endsWith(words);
                found = ends ? longer(found, field, words) : found;
            }
        }
        return found;
    }

    private static Match longer(@Nullable Match found, Field field, String words) {
        return found == null || words.length() > found.length() ? new Match(field, words.length()) : found;
    }

    /**
     * A field found in a name.
     *
     * @param field the field
     * @param length how many characters its words take
     */
    record Match(Field field, int length) {}
}
