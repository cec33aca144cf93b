package dev.throttle.signal.header;

/** Durations as Go prints them: {@code 6m0s}, {@code 2m59.56s}, {@code 12ms}. No sign. */
public final class GoDurations {

    private static final long SECOND = Decimal.BILLION;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long MILLI = 1_000_000L;
    private static final long MICRO = 1_000L;
    private static final long MAX_NANOS = Millis.MAX * MILLI;

    private GoDurations() {}

    /** {@return the duration in milliseconds, rounded up; {@link Millis#NONE} if the text is none} */
    public static long millis(String text) {
        long sum = 0;
        int i = 0;
        while (i < text.length()) {
            int unitAt = endOfNumber(text, i);
            int end = endOfUnit(text, unitAt);
            Decimal number = Decimal.parse(text, i, unitAt);
            long unit = unit(text, unitAt, end);
            if (number == null || unit == 0) {
                return Millis.NONE;
            }
            sum = Math.min(MAX_NANOS, sum + nanos(number, unit));
            i = end;
        }
        return i == 0 ? Millis.NONE : Millis.bounded(Decimal.ceilDiv(sum, MILLI));
    }

    private static int endOfNumber(String text, int from) {
        int i = from;
        while (i < text.length() && (Text.isDigit(text.charAt(i)) || text.charAt(i) == '.')) {
            i++;
        }
        return i;
    }

    private static int endOfUnit(String text, int from) {
        int i = from;
        while (i < text.length() && !Text.isDigit(text.charAt(i)) && text.charAt(i) != '.') {
            i++;
        }
        return i;
    }

    private static long unit(String text, int from, int to) {
        return switch (text.substring(from, Math.min(to, from + 4))) {
            case "h" -> HOUR;
            case "m" -> MINUTE;
            case "s" -> SECOND;
            case "ms" -> MILLI;
            // The last of the micro signs is what a client that decodes ISO 8859-1 makes of UTF-8.
            case "us", "\u00b5s", "\u03bcs", "\u00c2\u00b5s" -> MICRO;
            case "ns" -> 1;
            default -> 0;
        };
    }

    private static long nanos(Decimal number, long unit) {
        if (number.whole() > MAX_NANOS / unit) {
            return MAX_NANOS;
        }
        long fraction = unit >= SECOND
                ? unit / SECOND * number.nanos()
                : Decimal.ceilDiv(unit * number.nanos(), Decimal.BILLION);
        return number.whole() * unit + fraction;
    }
}
