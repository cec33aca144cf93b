package dev.throttle.signal;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * The three forms of a date that HTTP allows. The day of the week is not looked at: where it is wrong, the rest of the
 * date still says what was meant.
 *
 * <pre>
 * Sun, 06 Nov 1994 08:49:37 GMT    the one in use
 * Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
 * Sun Nov  6 08:49:37 1994         asctime
 * </pre>
 */
final class HttpDates {

    private static final String[] MONTHS = {
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"
    };
    private static final String[] ZONES = {"GMT", "UTC", "+0000"};
    private static final int CENTURY = 100;
    private static final int FIFTY = 50;

    private HttpDates() {}

    /**
     * {@return the instant in milliseconds since the epoch; {@link Millis#NONE} if the text is no date}
     *
     * @param nowMillis what a year of two digits is near to
     */
    static long millis(String text, long nowMillis) {
        Cursor cursor = new Cursor(text);
        if (cursor.skipLetters() == 0) {
            return Millis.NONE;
        }
        if (!cursor.skip(',')) {
            return cursor.skip(' ') ? asctime(cursor) : Millis.NONE;
        }
        cursor.skip(' ');
        int day = day(cursor);
        if (cursor.skip('-')) {
            return rfc850(cursor, day, nowMillis);
        }
        return cursor.skip(' ') ? fixdate(cursor, day) : Millis.NONE;
    }

    private static long fixdate(Cursor cursor, int day) {
        int month = month(cursor);
        boolean ok = cursor.skip(' ');
        int year = cursor.digits(4);
        ok &= cursor.skip(' ');
        Time time = Time.read(cursor);
        ok &= cursor.skip(' ') && skipZone(cursor) && cursor.isAtEnd();
        return ok ? time.on(year, month, day) : Millis.NONE;
    }

    private static long rfc850(Cursor cursor, int day, long nowMillis) {
        int month = month(cursor);
        boolean ok = cursor.skip('-');
        int year = cursor.digits(2);
        ok &= cursor.skip(' ');
        Time time = Time.read(cursor);
        ok &= cursor.skip(' ') && skipZone(cursor) && cursor.isAtEnd();
        return ok && year >= 0 ? nearest(time, year, month, day, nowMillis) : Millis.NONE;
    }

    private static long asctime(Cursor cursor) {
        int month = month(cursor);
        boolean ok = cursor.skip(' ');
        cursor.skip(' ');
        int day = day(cursor);
        ok &= cursor.skip(' ');
        Time time = Time.read(cursor);
        ok &= cursor.skip(' ');
        int year = cursor.digits(4);
        return ok && cursor.isAtEnd() ? time.on(year, month, day) : Millis.NONE;
    }

    /** The last year with these two digits in which the date is not more than 50 years ahead. */
    private static long nearest(Time time, int twoDigits, int month, int day, long nowMillis) {
        OffsetDateTime latest =
                Instant.ofEpochMilli(nowMillis).atOffset(ZoneOffset.UTC).plusYears(FIFTY);
        long latestMillis = latest.toInstant().toEpochMilli();
        int century = Math.floorDiv(latest.getYear(), CENTURY) * CENTURY;
        for (int year = century + twoDigits; year >= century - CENTURY; year -= CENTURY) {
            long millis = time.on(year, month, day);
            if (millis != Millis.NONE && millis <= latestMillis) {
                return millis;
            }
        }
        return Millis.NONE;
    }

    private static int day(Cursor cursor) {
        int first = cursor.digits(1);
        int second = Text.isDigit(cursor.peek()) ? cursor.digits(1) : -1;
        return second < 0 ? first : first * 10 + second;
    }

    private static int month(Cursor cursor) {
        for (int i = 0; i < MONTHS.length; i++) {
            if (cursor.skip(MONTHS[i])) {
                return i + 1;
            }
        }
        return 0;
    }

    private static boolean skipZone(Cursor cursor) {
        for (String zone : ZONES) {
            if (cursor.skip(zone)) {
                return true;
            }
        }
        return false;
    }

    /** The time of a day. */
    private record Time(int hour, int minute, int second) {

        private static final Time NONE = new Time(-1, -1, -1);

        static Time read(Cursor cursor) {
            int hour = cursor.digits(2);
            boolean ok = cursor.skip(':');
            int minute = cursor.digits(2);
            ok &= cursor.skip(':');
            int second = cursor.digits(2);
            return ok ? new Time(hour, minute, second) : NONE;
        }

        long on(int year, int month, int day) {
            return Cursor.instant(year, month, day, hour, minute, second);
        }
    }
}
