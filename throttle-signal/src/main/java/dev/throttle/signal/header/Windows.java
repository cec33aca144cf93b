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
    /** {@code Daily-limit}. */
    private static final String LIMIT = "-limit";

    private Windows() {}

    /**
     * The windows of a list of numbers.
     *
     * @param millis one for each number
     */
    public record Row(List<Long> millis) {

        /** Windows of unknown length. */
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
        if (unitAt == from) { // 24-hour
            String before = name.substring(0, Math.max(0, from - 1));
            Decimal number = Decimal.parse(before.substring(1 + before.lastIndexOf('-')));
            if (number == null) {
                return unit(name.substring(from));
            }
            count = Math.min(number.whole(), Millis.MAX);
        }
        long unit = countedUnit(name.substring(unitAt));
        return unit == Millis.NONE || count == 0
                ? Millis.NONE
                : Math.min(Math.min(count, Millis.MAX / unit) * unit, Millis.MAX);
    }

    /** {@return the window that a text tells in words, such as {@code 1m}, {@code Per-second} or {@code 5 minutes}} */
    static long ofText(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        lower = lower.endsWith(LIMIT) ? lower.substring(0, lower.length() - LIMIT.length()) : lower;
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

    /** Letters are units only after a number, and so are words for several: {@code audio-seconds} counts something. */
    private static long countedUnit(String word) {
        return switch (word) {
            case "ms" -> 1;
            case "s", "sec", "seconds" -> SECOND;
            case "m", "minutes" -> MINUTE;
            case "h", "hr", "hours" -> HOUR;
            case "d", "days" -> DAY;
            default -> unit(word);
        };
    }

    private static long unit(String word) {
        return switch (word.startsWith("per") ? word.substring("per".length()) : word) {
            case "second", "secondly", "qps" -> SECOND;
            case "minute", "minutely", "min" -> MINUTE;
            case "hour", "hourly" -> HOUR;
            case "day", "daily" -> DAY;
            default -> Millis.NONE;
        };
    }
}
