package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import org.jspecify.annotations.Nullable;

/** Numbers of JSON that are amounts. */
final class Amounts {

    static final long UNKNOWN = -1;

    private static final int LONGEST = 40;

    private Amounts() {}

    /**
     * {@return the number rounded down; {@link #UNKNOWN} for what is no plain number from 0 to {@link Cost#MAX_AMOUNT}}
     */
    static long of(@Nullable String text) {
        if (text == null || text.isEmpty() || text.length() > LONGEST) {
            return UNKNOWN;
        }
        long whole = 0;
        int i = 0;
        while (i < text.length() && isDigit(text.charAt(i))) {
            whole = whole * 10 + text.charAt(i) - '0';
            if (whole > Cost.MAX_AMOUNT) {
                return UNKNOWN;
            }
            i++;
        }
        return i > 0 && (i == text.length() || isFraction(text, i)) ? whole : UNKNOWN;
    }

    private static boolean isFraction(String text, int point) {
        if (text.charAt(point) != '.' || point + 1 == text.length()) {
            return false;
        }
        for (int i = point + 1; i < text.length(); i++) {
            if (!isDigit(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** {@return the first that is known} */
    static long firstKnown(long... amounts) {
        for (long amount : amounts) {
            if (amount != UNKNOWN) {
                return amount;
            }
        }
        return UNKNOWN;
    }

    /** {@return the sum of what is known; {@link #UNKNOWN} if nothing is} */
    static long sum(long a, long b) {
        if (a == UNKNOWN || b == UNKNOWN) {
            return Math.max(a, b);
        }
        return Math.min(a + b, Cost.MAX_AMOUNT);
    }
}
