package dev.throttle.signal;

import java.time.LocalDate;
import java.time.YearMonth;

/** A place in a text that moves forward only. Used to read dates, whose parts have fixed lengths. */
final class Cursor {

    private static final int BASE = 10;
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int SECONDS_PER_HOUR = 3600;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int MONTHS = 12;
    private static final int LAST_HOUR = 23;
    private static final int LAST_MINUTE = 59;
    /** A leap second is read as the second after it. */
    private static final int LAST_SECOND = 60;

    private final String text;
    private int at;

    Cursor(String text) {
        this.text = text;
    }

    boolean isAtEnd() {
        return at == text.length();
    }

    /** {@return the character here; 0 at the end} */
    char peek() {
        return isAtEnd() ? 0 : text.charAt(at);
    }

    /** Moves over a character; {@return whether it was there} */
    boolean skip(char c) {
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    /** Moves over a text in any case; {@return whether it was there} */
    boolean skip(String word) {
        if (!Text.hasAt(text, at, word)) {
            return false;
        }
        at += word.length();
        return true;
    }

    /** Moves over letters; {@return how many there were} */
    int skipLetters() {
        int from = at;
        while (Text.isLetter(peek())) {
            at++;
        }
        return at - from;
    }

    /** Moves over a number of digits; {@return the number, or -1 if there are fewer} */
    int digits(int count) {
        int number = 0;
        for (int i = 0; i < count; i++) {
            char c = peek();
            if (!Text.isDigit(c)) {
                return -1;
            }
            number = number * BASE + c - '0';
            at++;
        }
        return number;
    }

    /**
     * Moves over digits; {@return them as a fraction of a second in milliseconds rounded up, or -1 if there is none}
     */
    long fractionMillis() {
        int from = at;
        while (Text.isDigit(peek())) {
            at++;
        }
        Decimal fraction = at == from ? null : Decimal.parse("0." + text.substring(from, at));
        return fraction == null ? -1 : fraction.secondsToMillis();
    }

    /**
     * {@return an instant of UTC in milliseconds since the epoch; {@link Millis#NONE} if there is no such day or time}
     */
    static long instant(int year, int month, int day, int hour, int minute, int second) {
        boolean isTime = hour >= 0
                && hour <= LAST_HOUR
                && minute >= 0
                && minute <= LAST_MINUTE
                && second >= 0
                && second <= LAST_SECOND;
        boolean isDay = year >= 0
                && month >= 1
                && month <= MONTHS
                && day >= 1
                && day <= YearMonth.of(year, month).lengthOfMonth();
        if (!isTime || !isDay) {
            return Millis.NONE;
        }
        int secondOfDay = hour * SECONDS_PER_HOUR + minute * SECONDS_PER_MINUTE + second;
        long seconds = LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY + secondOfDay;
        return seconds * Millis.PER_SECOND;
    }
}
