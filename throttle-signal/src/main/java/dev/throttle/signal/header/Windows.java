package dev.throttle.signal.header;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The lengths of time that names of quotas tell: {@code second}, {@code tokens-minute}, {@code user-24hour},
 * {@code unified-5h}.
 */
final class Windows {

    private static final long SECOND = 1000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final int MOST_DIGITS = 9;

    private Windows() {}

    /**
     * The windows of a list of numbers.
     *
     * @param millis one for each number
     */
    public record Row(List<Long> millis) {

        /** Windows that nobody knows. */
        static final Row UNKNOWN = new Row(List.of());

        long at(int place) {
            return place < millis.size() ? millis.get(place) : Millis.NONE;
        }
    }

    /** {@return the window in milliseconds that the last word of a name tells; {@link Millis#NONE} if it tells none} */
    static long of(@Nullable String name) {
        if (name == null) {
            return Millis.NONE;
        }
        int from = 1 + Math.max(name.lastIndexOf('-'), Math.max(name.lastIndexOf('_'), name.lastIndexOf(' ')));
        int unitAt = from;
        long count = 0;
        while (unitAt < name.length() && Text.isDigit(name.charAt(unitAt)) && unitAt - from < MOST_DIGITS) {
            count = count * 10 + name.charAt(unitAt) - '0';
            unitAt++;
        }
        String word = name.substring(unitAt);
        long unit = unitAt == from ? unit(word) : shortUnit(word);
        if (unit == Millis.NONE) {
            return Millis.NONE;
        }
        if (unitAt == from) { // 24-hour
            String before = name.substring(0, Math.max(0, from - 1));
            Decimal number = Decimal.parse(before.substring(1 + before.lastIndexOf('-')));
            count = number == null ? 1 : Math.min(number.whole(), Millis.MAX / unit);
        }
        return count == 0 ? Millis.NONE : Math.min(count * unit, Millis.MAX);
    }

    /** {@return the window that a text tells in words, such as {@code 1m}, {@code Per-second} or {@code 5 minutes}} */
    static long ofText(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        int blank = lower.lastIndexOf(' ');
        Decimal count = blank > 0 ? Decimal.parse(lower.substring(0, blank).strip()) : null;
        return of(count == null ? lower : count.whole() + lower.substring(blank + 1));
    }

    /** {@return a window as text, in the largest unit that it is a whole number of} */
    static String text(long millis) {
        if (millis % SECOND != 0) {
            return millis + "ms";
        }
        long unit = millis % DAY == 0 ? DAY : millis % HOUR == 0 ? HOUR : millis % MINUTE == 0 ? MINUTE : SECOND;
        return millis / unit + (unit == DAY ? "d" : unit == HOUR ? "h" : unit == MINUTE ? "m" : "s");
    }

    /** A single letter is a unit only after a number. */
    private static long shortUnit(String word) {
        return switch (word) {
            case "ms" -> 1;
            case "s", "sec" -> SECOND;
            case "m" -> MINUTE;
            case "h", "hr" -> HOUR;
            case "d" -> DAY;
            default -> unit(word);
        };
    }

    private static long unit(String word) {
        return switch (word.startsWith("per") ? word.substring("per".length()) : word) {
            case "second", "seconds", "secondly" -> SECOND;
            case "minute", "minutes", "minutely", "min" -> MINUTE;
            case "hour", "hours", "hourly" -> HOUR;
            case "day", "days", "daily" -> DAY;
            default -> Millis.NONE;
        };
    }
}
