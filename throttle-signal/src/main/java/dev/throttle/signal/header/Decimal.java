package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/**
 * A number as headers may have it: digits, and perhaps a point and more digits. No sign, no exponent, no suffix.
 *
 * @param whole the part before the point; {@link Long#MAX_VALUE} if it is larger
 * @param nanos the part after it in billionths, rounded up, so that it may be a full billion
 */
record Decimal(long whole, long nanos) {

    static final long BILLION = 1_000_000_000L;

    static final long NANOS_PER_MILLI = 1_000_000L;
    private static final int BASE = 10;
    /** A digit more, whichever, does not make a number up to this too large. */
    private static final long SAFE = Long.MAX_VALUE / BASE - 1;

    /** {@return the number that is the whole text; null if it is none} */
    static @Nullable Decimal parse(String text) {
        return parse(text, 0, text.length());
    }

    /** {@return the number that is a part of a text; null if it is none} */
    static @Nullable Decimal parse(String text, int from, int to) {
        int i = from;
        long whole = 0;
        while (i < to && Text.isDigit(text.charAt(i))) {
            whole = append(whole, text.charAt(i) - '0');
            i++;
        }
        if (i == from) {
            return null;
        }
        if (i == to) {
            return new Decimal(whole, 0);
        }
        return text.charAt(i) == '.' && i + 1 < to ? parseFraction(whole, text, i + 1, to) : null;
    }

    private static @Nullable Decimal parseFraction(long whole, String text, int from, int to) {
        long nanos = 0;
        long unit = BILLION / BASE;
        boolean more = false;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (!Text.isDigit(c)) {
                return null;
            }
            nanos += (c - '0') * unit;
            more |= unit == 0 && c != '0';
            unit /= BASE;
        }
        return new Decimal(whole, more ? nanos + 1 : nanos);
    }

    private static long append(long number, int digit) {
        return number > SAFE && number > (Long.MAX_VALUE - digit) / BASE ? Long.MAX_VALUE : number * BASE + digit;
    }

    /** {@return the number of seconds in milliseconds, rounded up} */
    long secondsToMillis() {
        return whole > Millis.MAX / Millis.PER_SECOND
                ? Millis.MAX
                : Millis.bounded(whole * Millis.PER_SECOND + ceilDiv(nanos, NANOS_PER_MILLI));
    }

    /** {@return the number rounded up; {@link Long#MAX_VALUE} if it is larger} */
    long ceil() {
        return nanos > 0 && whole < Long.MAX_VALUE ? whole + 1 : whole;
    }

    static long ceilDiv(long a, long b) {
        return -Math.floorDiv(-a, b);
    }
}
