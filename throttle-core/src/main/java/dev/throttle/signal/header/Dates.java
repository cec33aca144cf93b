package dev.throttle.signal.header;

import java.text.ParsePosition;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Instants as headers write them: timestamps of RFC 3339, and the three forms of a date that HTTP allows.
 *
 * <pre>
 * Sun, 06 Nov 1994 08:49:37 GMT    the one in use
 * Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
 * Sun Nov  6 08:49:37 1994         asctime
 * </pre>
 *
 * <p>The day of the week is not looked at: where it is wrong, the rest of the date still says what was meant. A leap
 * second is read as the second after it.
 */
final class Dates {

    private static final DateTimeFormatter FIXDATE = date(day(builder(), ' '), ' ', true);
    private static final DateTimeFormatter RFC_850 = date(day(builder(), '-'), '-', false);
    private static final DateTimeFormatter ASCTIME = asctime();
    private static final DateTimeFormatter TIMESTAMP = timestamp();

    private static final String[] ZONES = {" GMT", " UTC", " +0000"};
    private static final int CENTURY = 100;
    private static final int FIFTY = 50;
    private static final int LAST_HOUR = 23;
    private static final int LAST_MINUTE = 59;
    private static final int LAST_SECOND = 60;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int SECONDS_PER_HOUR = 3600;
    private static final int SECONDS_PER_DAY = 86_400;
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** A power of two; texts that share a place take it from each other. */
    private static final int PLACES = 256;
    /** Longer texts are not remembered: what servers make up must not fill the memory. */
    private static final int LONGEST = 40;
    /**
     * What was read lately: a server sends the same date all through a second, and the same reset all through a window.
     * Read and written without order: a record is whole in whichever thread sees it.
     */
    private static final @Nullable Seen[] SEEN = new Seen[PLACES];

    private Dates() {}

    private record Seen(String text, long millis) {}

    private static @Nullable Seen seen(String text) {
        Seen seen = SEEN[place(text)];
        return seen != null && seen.text.equals(text) ? seen : null;
    }

    private static long remember(String text, long millis) {
        if (millis != Millis.NONE && text.length() <= LONGEST) {
            SEEN[place(text)] = new Seen(text, millis);
        }
        return millis;
    }

    private static int place(String text) {
        int hash = text.hashCode();
        return (hash ^ hash >>> 16) & PLACES - 1;
    }

    private static DateTimeFormatterBuilder builder() {
        return new DateTimeFormatterBuilder().parseCaseInsensitive();
    }

    private static DateTimeFormatterBuilder day(DateTimeFormatterBuilder builder, char separator) {
        builder.optionalStart().appendLiteral(' ').optionalEnd();
        builder.appendValue(ChronoField.DAY_OF_MONTH, 1, 2, SignStyle.NOT_NEGATIVE);
        return builder.appendLiteral(separator);
    }

    private static DateTimeFormatter date(DateTimeFormatterBuilder builder, char separator, boolean mayBeLong) {
        month(builder).appendLiteral(separator);
        year(builder, mayBeLong).appendLiteral(' ');
        return time(builder).toFormatter(Locale.ROOT);
    }

    private static DateTimeFormatter asctime() {
        DateTimeFormatterBuilder builder = month(builder().appendLiteral(' ')).appendLiteral(' ');
        time(day(builder, ' ')).appendLiteral(' ');
        return year(builder, true).toFormatter(Locale.ROOT);
    }

    private static DateTimeFormatter timestamp() {
        DateTimeFormatterBuilder builder = builder()
                .appendValue(ChronoField.YEAR, 4)
                .appendLiteral('-')
                .appendValue(ChronoField.MONTH_OF_YEAR, 2)
                .appendLiteral('-')
                .appendValue(ChronoField.DAY_OF_MONTH, 2)
                .appendLiteral('T')
                .appendValue(ChronoField.HOUR_OF_DAY, 2)
                .appendLiteral(':')
                .appendValue(ChronoField.MINUTE_OF_HOUR, 2)
                .optionalStart()
                .appendLiteral(':')
                .appendValue(ChronoField.SECOND_OF_MINUTE, 2)
                .optionalStart()
                .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
                .optionalEnd()
                .optionalEnd();
        return builder.appendOffset("+HH:MM", "Z").toFormatter(Locale.ROOT);
    }

    private static DateTimeFormatterBuilder month(DateTimeFormatterBuilder builder) {
        String[] names = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        Map<Long, String> months = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
            months.put(i + 1L, names[i]);
        }
        return builder.appendText(ChronoField.MONTH_OF_YEAR, months);
    }

    /** A year of two digits is read into a field of its own. */
    private static DateTimeFormatterBuilder year(DateTimeFormatterBuilder builder, boolean mayBeLong) {
        if (mayBeLong) {
            builder.optionalStart().appendValue(ChronoField.YEAR, 4).optionalEnd();
            return builder.optionalStart()
                    .appendValue(ChronoField.YEAR_OF_ERA, 2)
                    .optionalEnd();
        }
        return builder.appendValue(ChronoField.YEAR_OF_ERA, 2);
    }

    private static DateTimeFormatterBuilder time(DateTimeFormatterBuilder builder) {
        return builder.appendValue(ChronoField.HOUR_OF_DAY, 2)
                .appendLiteral(':')
                .appendValue(ChronoField.MINUTE_OF_HOUR, 2)
                .appendLiteral(':')
                .appendValue(ChronoField.SECOND_OF_MINUTE, 2);
    }

    /** {@return the instant of a timestamp in milliseconds since the epoch; {@link Millis#NONE} if the text is none} */
    static long timestamp(String text) {
        if (text.isEmpty() || !Text.isDigit(text.charAt(0))) {
            return Millis.NONE;
        }
        Seen seen = seen(text);
        return seen != null ? seen.millis : millis(TIMESTAMP, text, 0, text.length(), 0);
    }

    /**
     * {@return the instant of a date in milliseconds since the epoch; {@link Millis#NONE} if the text is none}
     *
     * @param nowMillis what a year of two digits is near to
     */
    static long httpDate(String text, long nowMillis) {
        Seen seen = seen(text);
        if (seen != null) {
            return seen.millis;
        }
        int weekday = 0;
        while (weekday < text.length() && Text.isLetter(text.charAt(weekday))) {
            weekday++;
        }
        if (weekday == 0 || weekday == text.length()) {
            return Millis.NONE;
        }
        if (text.charAt(weekday) != ',') {
            return millis(ASCTIME, text, weekday, text.length(), nowMillis);
        }
        for (String zone : ZONES) {
            int end = text.length() - zone.length();
            if (end > weekday && text.regionMatches(true, end, zone, 0, zone.length())) {
                long millis = millis(FIXDATE, text, weekday + 1, end, nowMillis);
                return millis == Millis.NONE ? millis(RFC_850, text, weekday + 1, end, nowMillis) : millis;
            }
        }
        return Millis.NONE;
    }

    /** Reads by a formatter, but checks the parts here: a formatter reports what does not exist by exceptions. */
    private static long millis(DateTimeFormatter form, String text, int from, int to, long nowMillis) {
        ParsePosition at = new ParsePosition(from);
        TemporalAccessor parts;
        try {
            parts = form.parseUnresolved(text.substring(0, to), at);
        } catch (DateTimeException e) { // only for an offset that does not exist
            return Millis.NONE;
        }
        if (parts == null || at.getIndex() < to) {
            return Millis.NONE;
        }
        boolean isLong = parts.isSupported(ChronoField.YEAR);
        if (isLong == parts.isSupported(ChronoField.YEAR_OF_ERA)) {
            return Millis.NONE;
        }
        return isLong
                ? remember(text, instant(parts, parts.getLong(ChronoField.YEAR)))
                : nearest(parts, parts.getLong(ChronoField.YEAR_OF_ERA), nowMillis);
    }

    /** The last year with these two digits in which the date is not more than 50 years ahead. */
    private static long nearest(TemporalAccessor parts, long twoDigits, long nowMillis) {
        var latest = Instant.ofEpochMilli(nowMillis).atOffset(ZoneOffset.UTC).plusYears(FIFTY);
        int century = Math.floorDiv(latest.getYear(), CENTURY) * CENTURY;
        for (long year = century + twoDigits; year >= century - CENTURY; year -= CENTURY) {
            long millis = instant(parts, year);
            if (millis != Millis.NONE && millis <= latest.toInstant().toEpochMilli()) {
                return millis;
            }
        }
        return Millis.NONE;
    }

    private static long instant(TemporalAccessor parts, long year) {
        long hour = part(parts, ChronoField.HOUR_OF_DAY);
        long minute = part(parts, ChronoField.MINUTE_OF_HOUR);
        long second = part(parts, ChronoField.SECOND_OF_MINUTE);
        long offset = part(parts, ChronoField.OFFSET_SECONDS);
        if (hour > LAST_HOUR || minute > LAST_MINUTE || second > LAST_SECOND || Math.abs(offset) >= SECONDS_PER_DAY) {
            return Millis.NONE;
        }
        long day;
        try {
            day = LocalDate.of((int) year, (int) part(parts, ChronoField.MONTH_OF_YEAR), (int)
                            part(parts, ChronoField.DAY_OF_MONTH))
                    .toEpochDay();
        } catch (DateTimeException e) {
            return Millis.NONE;
        }
        long seconds = day * SECONDS_PER_DAY + hour * SECONDS_PER_HOUR + minute * SECONDS_PER_MINUTE + second - offset;
        return seconds * Millis.PER_SECOND + Decimal.ceilDiv(part(parts, ChronoField.NANO_OF_SECOND), NANOS_PER_MILLI);
    }

    private static long part(TemporalAccessor parts, ChronoField field) {
        return parts.isSupported(field) ? parts.getLong(field) : 0;
    }
}
