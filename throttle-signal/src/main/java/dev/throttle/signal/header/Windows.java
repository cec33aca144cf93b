package dev.throttle.signal.header;

/**
 * The lengths of time that names of quotas tell: {@code second}, {@code tokens-minute}, {@code user-24hour},
 * {@code unified-5h}.
 */
final class Windows {

    private static final long SECOND = 1000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final int MOST_DIGITS = 5;

    private Windows() {}

    /** {@return the window in milliseconds that the last word of a name tells; {@link Millis#NONE} if it tells none} */
    static long of(String name) {
        int from = 1 + Math.max(name.lastIndexOf('-'), name.lastIndexOf('_'));
        int unitAt = from;
        long count = 0;
        while (unitAt < name.length() && Text.isDigit(name.charAt(unitAt)) && unitAt - from < MOST_DIGITS) {
            count = count * 10 + name.charAt(unitAt) - '0';
            unitAt++;
        }
        String word = name.substring(unitAt);
        long unit = unitAt == from ? unit(word) : shortUnit(word);
        if (unit == Millis.NONE || (unitAt > from && count == 0)) {
            return Millis.NONE;
        }
        return unitAt == from ? unit : Math.min(count * unit, Millis.MAX);
    }

    /** A single letter is a unit only after a number. */
    private static long shortUnit(String word) {
        return switch (word) {
            case "s" -> SECOND;
            case "m", "min" -> MINUTE;
            case "h" -> HOUR;
            case "d" -> DAY;
            default -> unit(word);
        };
    }

    private static long unit(String word) {
        return switch (word) {
            case "second", "secondly" -> SECOND;
            case "minute", "minutely" -> MINUTE;
            case "hour", "hourly" -> HOUR;
            case "day", "daily" -> DAY;
            default -> Millis.NONE;
        };
    }
}
