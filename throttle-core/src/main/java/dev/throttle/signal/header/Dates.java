package dev.throttle.signal.header;

import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.Year;
import java.time.ZoneOffset;

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
 *
 * <p>Read by hand: the JDK's formatters take ten times as long, and a response may have several of these.
 */
final class Dates {

    private static final String[] ZONES = {" GMT", " UTC", " +0000"};
    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
    private static final int CENTURY = 100;
    private static final int FIFTY = 50;
    private static final int MOST_DIGITS = 9;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int MINUTES_PER_HOUR = 60;
    private static final int SECONDS_PER_HOUR = 3600;
    private static final int SECONDS_PER_DAY = 86_400;
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final String text;
    private final int end;
    private int at;
    /** Something was not as it must be; what is read from then on does not matter. */
    private boolean wrong;

    private int day;
    private int month;
    private long secondOfDay;
    private long nanos;

    private Dates(String text, int from, int end) {
        this.text = text;
        this.at = from;
        this.end = end;
    }

    /** {@return the instant of a timestamp in milliseconds since the epoch; {@link Millis#NONE} if the text is none} */
    static long timestamp(String text) {
        return new Dates(text, 0, text.length()).timestamp();
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
        if (weekday == 0 || weekday == text.length()) {
            return Millis.NONE;
        }
        if (text.charAt(weekday) != ',') {
            return new Dates(text, weekday, text.length()).asctime(nowMillis);
        }
        for (String zone : ZONES) {
            int end = text.length() - zone.length();
            if (end > weekday && Text.hasAt(text, end, zone)) {
                return new Dates(text, weekday + 1, end).date(nowMillis);
            }
        }
        return Millis.NONE;
    }

    private long timestamp() {
        int year = number(4);
        expect(take('-'));
        month = number(2);
        expect(take('-'));
        day = number(2);
        expect(take('T') || take('t'));
        secondOfDay = (long) hours() + (take(':') ? second() : 0);
        int offset = take('Z') || take('z') ? 0 : offset();
        return wrong || at < end ? Millis.NONE : instant(year, offset);
    }

    private int second() {
        int second = upTo(number(2), SECONDS_PER_MINUTE);
        if (take('.')) {
            int from = at;
            while (at < end && Text.isDigit(text.charAt(at)) && at - from < MOST_DIGITS) {
                nanos = nanos * 10 + text.charAt(at++) - '0';
            }
            expect(at > from);
            for (int digits = at - from; digits < MOST_DIGITS; digits++) {
                nanos *= 10;
            }
        }
        return second;
    }

    private int offset() {
        boolean west = take('-');
        expect(west || take('+'));
        int offset = hours();
        return west ? -offset : offset;
    }

    private long date(long nowMillis) {
        day();
        boolean dashes = take('-');
        expect(dashes || take(' '));
        month();
        expect(take(dashes ? '-' : ' '));
        int yearAt = at;
        int year = year();
        expect(!dashes || at - yearAt == 2);
        boolean full = at - yearAt == 4;
        expect(take(' '));
        time();
        return instant(year, full, nowMillis);
    }

    private long asctime(long nowMillis) {
        expect(take(' '));
        month();
        expect(take(' '));
        day();
        expect(take(' '));
        time();
        expect(take(' '));
        int yearAt = at;
        int year = year();
        return instant(year, at - yearAt == 4, nowMillis);
    }

    /** One digit or two, perhaps behind one more blank. */
    private void day() {
        take(' ');
        day = at + 1 < end && Text.isDigit(text.charAt(at + 1)) ? number(2) : number(1);
    }

    private void month() {
        int index = -1;
        for (int i = 0; i < MONTHS.length() && index < 0; i += 3) {
            index = text.regionMatches(true, at, MONTHS, i, 3) ? i / 3 : -1;
        }
        month = index + 1; // 0 if it is none, which is no date
        at += 3;
    }

    /** Two digits or four. */
    private int year() {
        boolean full = at + 2 < end && Text.isDigit(text.charAt(at + 2));
        return number(full ? 4 : 2);
    }

    private void time() {
        int hours = hours();
        expect(take(':'));
        secondOfDay = (long) hours + upTo(number(2), SECONDS_PER_MINUTE);
    }

    /** {@return hours and minutes, in seconds} */
    private int hours() {
        int hour = upTo(number(2), 23);
        expect(take(':'));
        return hour * SECONDS_PER_HOUR + upTo(number(2), MINUTES_PER_HOUR - 1) * SECONDS_PER_MINUTE;
    }

    private int number(int digits) {
        int number = 0;
        for (int i = 0; i < digits; i++) {
            char c = at < end ? text.charAt(at++) : ' ';
            expect(Text.isDigit(c));
            number = number * 10 + c - '0';
        }
        return number;
    }

    private int upTo(int number, int largest) {
        expect(number <= largest);
        return number;
    }

    private boolean take(char c) {
        boolean there = at < end && text.charAt(at) == c;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(boolean holds) {
        wrong |= !holds;
    }

    private long instant(int year, boolean full, long nowMillis) {
        if (wrong || at < end) {
            return Millis.NONE;
        }
        return full ? instant(year, 0) : nearest(year, nowMillis);
    }

    /** The last year with these two digits in which the date is not more than 50 years ahead. */
    private long nearest(int twoDigits, long nowMillis) {
        var latest = Instant.ofEpochMilli(nowMillis).atOffset(ZoneOffset.UTC).plusYears(FIFTY);
        int century = Math.floorDiv(latest.getYear(), CENTURY) * CENTURY;
        for (int year = century + twoDigits; year >= century - CENTURY; year -= CENTURY) {
            long millis = instant(year, 0);
            if (millis != Millis.NONE && millis <= latest.toInstant().toEpochMilli()) {
                return millis;
            }
        }
        return Millis.NONE;
    }

    private long instant(int year, int offset) {
        if (month < 1 || month > 12 || day < 1 || day > Month.of(month).length(Year.isLeap(year))) {
            return Millis.NONE;
        }
        long seconds = LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY + secondOfDay - offset;
        return seconds * Millis.PER_SECOND + Decimal.ceilDiv(nanos, NANOS_PER_MILLI);
    }
}
