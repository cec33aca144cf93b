package dev.throttle.signal.header;

import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.Year;
import java.time.ZoneOffset;

/**
 * Instants as headers write them: timestamps of RFC 3339, the three forms of a date that HTTP allows, and a date as
 * JavaScript prints it.
 *
 * <pre>
 * Sun, 06 Nov 1994 08:49:37 GMT                                    the one in use
 * Sunday, 06-Nov-94 08:49:37 GMT                                   RFC 850
 * Sun Nov  6 08:49:37 1994                                         asctime
 * Sun Nov 06 1994 08:49:37 GMT+0000 (Coordinated Universal Time)   JavaScript
 * </pre>
 *
 * <p>The day of the week is not looked at: where it is wrong, the rest of the date still says what was meant. Nothing
 * is thrown for a text that is none, because a server may send many of them.
 */
final class Dates {

    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
    private static final int LETTERS = 3;

    /** No form is shorter. */
    private static final int SHORTEST = "2023-11-14T22:13Z".length();

    private static final int LONGEST = 90;
    private static final int YEAR_DIGITS = 4;
    private static final int FRACTION_DIGITS = 9;
    private static final int CENTURY = 100;
    private static final int FIFTY = 50;
    private static final int SECONDS = 60;
    private static final int HOURS = 24;
    private static final int FARTHEST_ZONE = 18;
    private static final long SECONDS_PER_DAY = 86_400;

    private final String text;
    private int at;
    private boolean wrong;

    private Dates(String text, int at) {
        this.text = text;
        this.at = at;
    }

    /**
     * {@return the instant of a timestamp in milliseconds since the epoch; {@link Millis#NONE} if the text is none} It
     * may have blanks, and zones as in {@code 2019-02-02 00:00:00 +0000}.
     */
    static long timestamp(String text) {
        if (!mayBeOne(text) || text.charAt(YEAR_DIGITS) != '-') {
            return Millis.NONE;
        }
        return new Dates(text, 0).timestamp();
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
        boolean isAsctime = text.charAt(weekday) != ',';
        Dates date = new Dates(text, isAsctime ? weekday : weekday + 1);
        while (Text.isBlank(date.peek())) {
            date.at++;
        }
        return isAsctime ? date.asctime() : date.usual(nowMillis);
    }

    /**
     * {@return the end of the second that a date of JavaScript names, in milliseconds since the epoch;
     * {@link Millis#NONE} if the text is none} It leaves out the milliseconds.
     */
    static long javaScript(String text) {
        return mayBeOne(text) && text.charAt(LETTERS) == ' ' ? new Dates(text, LETTERS + 1).javaScript() : Millis.NONE;
    }

    private static boolean mayBeOne(String text) {
        return text.length() >= SHORTEST && text.length() <= LONGEST;
    }

    private long timestamp() {
        int year = number(YEAR_DIGITS, YEAR_DIGITS);
        expect('-');
        int month = number(2, 2);
        expect('-');
        int day = number(2, 2);
        if (wrong || month > MONTHS.length() / LETTERS) {
            return Millis.NONE;
        }
        boolean isBlank = skip(' ');
        wrong |= !isBlank && !skip('T') && !skip('t');
        int seconds = number(2, 2, HOURS) * SECONDS;
        expect(':');
        seconds = (seconds + number(2, 2, SECONDS)) * SECONDS;
        seconds += skip(':') ? number(2, 2, SECONDS) : 0;
        int millis = 0;
        if (skip('.')) {
            int from = at;
            long nanos = number(1, FRACTION_DIGITS);
            for (int i = at - from; i < FRACTION_DIGITS; i++) {
                nanos *= 10;
            }
            millis = (int) Decimal.ceilDiv(nanos, Decimal.NANOS_PER_MILLI);
        }
        if (isBlank) {
            skip(' ');
        }
        seconds -= zone();
        long found = instant(year, month, day, seconds);
        return found == Millis.NONE ? found : found + millis;
    }

    /** {@return how far a zone is ahead, in seconds} */
    private int zone() {
        if (skip('Z') || skip('z') || isUniversal()) {
            return 0;
        }
        boolean behind = skip('-');
        wrong |= !behind && !skip('+');
        int hours = number(2, 2, FARTHEST_ZONE + 1);
        int minutes = skip(':') || at < text.length() ? number(2, 2, SECONDS) : 0;
        int seconds = (hours * SECONDS + minutes) * SECONDS;
        return behind ? -seconds : seconds;
    }

    private long usual(long nowMillis) {
        int day = number(1, 2);
        if (skip('-')) {
            int month = month();
            expect('-');
            int year = number(2, 2);
            expect(' ');
            int seconds = time();
            expect(' ');
            wrong |= !skip("GMT");
            return nearest(year, month, day, seconds, nowMillis);
        }
        expect(' ');
        int month = month();
        expect(' ');
        int year = number(YEAR_DIGITS, YEAR_DIGITS);
        expect(' ');
        int seconds = time();
        expect(' ');
        wrong |= !isUniversal() && !skip("+0000");
        return instant(year, month, day, seconds);
    }

    private long asctime() {
        int month = month();
        expect(' ');
        skip(' ');
        int day = number(1, 2);
        expect(' ');
        int seconds = time();
        expect(' ');
        return instant(number(YEAR_DIGITS, YEAR_DIGITS), month, day, seconds);
    }

    private long javaScript() {
        int month = month();
        expect(' ');
        int day = number(2, 2);
        expect(' ');
        int year = number(YEAR_DIGITS, YEAR_DIGITS);
        expect(' ');
        int seconds = time();
        expect(' ');
        wrong |= !skip("GMT");
        seconds -= zone();
        if (skip(' ')) { // the name of the zone
            wrong |= peek() != '(' || !text.endsWith(")");
            at = text.length();
        }
        long found = instant(year, month, day, seconds);
        return found == Millis.NONE ? found : found + Millis.LAST_OF_SECOND;
    }

    /** The last year with the same two digits in which the date is not more than 50 years ahead. */
    private long nearest(int digits, int month, int day, int seconds, long nowMillis) {
        long latest = Instant.ofEpochMilli(nowMillis)
                .atOffset(ZoneOffset.UTC)
                .plusYears(FIFTY)
                .toInstant()
                .toEpochMilli();
        int last = Instant.ofEpochMilli(latest).atOffset(ZoneOffset.UTC).getYear();
        int year = last - Math.floorMod(last - digits, CENTURY);
        long found = instant(year, month, day, seconds);
        return found > latest ? instant(year - CENTURY, month, day, seconds) : found;
    }

    /** {@return the seconds of the day} */
    private int time() {
        int hours = number(2, 2, HOURS);
        expect(':');
        int minutes = number(2, 2, SECONDS);
        expect(':');
        return (hours * SECONDS + minutes) * SECONDS + number(2, 2, SECONDS);
    }

    /** {@return the instant; {@link Millis#NONE} if there is none, or more text} */
    private long instant(int year, int month, int day, int seconds) {
        boolean is = !wrong && at == text.length() && month >= 1 && month <= Month.values().length && day >= 1;
        if (!is || day > Month.of(month).length(Year.isLeap(year))) {
            return Millis.NONE;
        }
        return (LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY + seconds) * Millis.PER_SECOND;
    }

    private int month() {
        int found = at + LETTERS > text.length() ? -1 : MONTHS.indexOf(Text.lower(text.substring(at, at + LETTERS)));
        wrong |= found < 0 || found % LETTERS != 0;
        at += LETTERS;
        return found / LETTERS + 1;
    }

    private int number(int fewest, int most, int below) {
        int number = number(fewest, most);
        wrong |= number >= below;
        return number;
    }

    private int number(int fewest, int most) {
        int from = at;
        int number = 0;
        while (at < from + most && Text.isDigit(peek())) {
            number = number * 10 + peek() - '0';
            at++;
        }
        wrong |= at - from < fewest;
        return number;
    }

    private boolean isUniversal() {
        return skip("GMT") || skip("UTC");
    }

    private boolean skip(String word) {
        boolean is = text.regionMatches(true, at, word, 0, word.length());
        at += is ? word.length() : 0;
        return is;
    }

    private boolean skip(char c) {
        boolean is = peek() == c;
        at += is ? 1 : 0;
        return is;
    }

    private void expect(char c) {
        wrong |= !skip(c);
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }
}
