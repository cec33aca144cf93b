package dev.throttle.signal.header;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Instants as headers write them: timestamps of RFC 3339, and the three forms of a date that HTTP allows.
 *
 * <pre>
 * Sun, 06 Nov 1994 08:49:37 GMT    the one in use
 * Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
 * Sun Nov  6 08:49:37 1994         asctime
 * </pre>
 *
 * <p>The day of the week is not looked at: where it is wrong, the rest of the date still says what was meant.
 */
final class Dates {

    private static final DateTimeFormatter USUAL = form("d MMM uuuu HH:mm:ss 'GMT'");
    private static final DateTimeFormatter RFC_850 = form("d-MMM-uu HH:mm:ss 'GMT'");
    private static final DateTimeFormatter ASCTIME = form("MMM [ ]d HH:mm:ss uuuu");

    private static final Pattern BLANKS = Pattern.compile("^([0-9-]{10}) ([0-9:.]+) ?([-+0-9:Z]+)$");
    private static final Pattern SHORT_ZONE = Pattern.compile("([-+][0-9]{2})([0-9]{2})$");
    private static final Pattern OTHER_ZONE = Pattern.compile("(UTC|\\+0000)$");

    /** No form is shorter: what cannot be a date costs no exception. */
    private static final int SHORTEST = "2023-11-14T22:13Z".length();

    private static final int LONGEST = 40;
    private static final int YEAR_DIGITS = 4;
    private static final int T_AT = "2023-11-14".length();
    private static final int CENTURY = 100;
    private static final int FIFTY = 50;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private Dates() {}

    private static DateTimeFormatter form(String pattern) {
        return new DateTimeFormatterBuilder()
                .parseCaseInsensitive()
                .appendPattern(pattern)
                .toFormatter(Locale.US)
                .withResolverStyle(ResolverStyle.STRICT)
                .withZone(ZoneOffset.UTC);
    }

    /**
     * {@return the instant of a timestamp in milliseconds since the epoch; {@link Millis#NONE} if the text is none} It
     * may have blanks, and zones as in {@code 2019-02-02 00:00:00 +0000}.
     */
    static long timestamp(String text) {
        if (!mayBeOne(text) || text.charAt(YEAR_DIGITS) != '-') {
            return Millis.NONE;
        }
        try {
            boolean isUsual = text.charAt(T_AT) == 'T' && text.endsWith("Z");
            return millis(OffsetDateTime.parse(isUsual ? text : usual(text)).toInstant());
        } catch (DateTimeException e) {
            return Millis.NONE;
        }
    }

    private static String usual(String text) {
        String joined = BLANKS.matcher(text).replaceFirst("$1T$2$3");
        return SHORT_ZONE.matcher(joined).replaceFirst("$1:$2");
    }

    /**
     * {@return the instant of a date in milliseconds since the epoch; {@link Millis#NONE} if the text is none}
     *
     * @param nowMillis what a year of two digits is near to
     */
    static long httpDate(String text, long nowMillis) {
        int weekday = 0;
        while (weekday < text.length() && Text.isLetter(text.charAt(weekday))) {
            weekday++;
        }
        if (weekday == 0 || weekday == text.length() || !mayBeOne(text)) {
            return Millis.NONE;
        }
        try {
            if (text.charAt(weekday) != ',') {
                return millis(ASCTIME.parse(text.substring(weekday).strip(), Instant::from));
            }
            String date = text.substring(weekday + 1).strip();
            return date.indexOf('-') < 0
                    ? millis(USUAL.parse(OTHER_ZONE.matcher(date).replaceFirst("GMT"), Instant::from))
                    : millis(nearest(RFC_850.parse(date, OffsetDateTime::from), nowMillis));
        } catch (DateTimeException e) {
            return Millis.NONE;
        }
    }

    private static boolean mayBeOne(String text) {
        return text.length() >= SHORTEST && text.length() <= LONGEST;
    }

    /** The last year with the same two digits in which the date is not more than 50 years ahead. */
    private static Instant nearest(OffsetDateTime date, long nowMillis) {
        OffsetDateTime latest =
                Instant.ofEpochMilli(nowMillis).atOffset(ZoneOffset.UTC).plusYears(FIFTY);
        int centuries = Math.floorDiv(latest.getYear() - date.getYear(), CENTURY);
        OffsetDateTime found = date.plusYears((long) centuries * CENTURY);
        return (found.isAfter(latest) ? found.minusYears(CENTURY) : found).toInstant();
    }

    private static long millis(Instant instant) {
        return instant.getEpochSecond() * Millis.PER_SECOND + Decimal.ceilDiv(instant.getNano(), NANOS_PER_MILLI);
    }
}
