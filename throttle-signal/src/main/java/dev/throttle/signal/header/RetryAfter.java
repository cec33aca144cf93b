package dev.throttle.signal.header;

/**
 * Collects the {@code Retry-After} of a response and its relatives. The longest wait counts, whichever line it stands
 * in, because proxies repeat and join lines; the headers in milliseconds only refine what {@code Retry-After} says.
 */
final class RetryAfter {

    private long standard = Millis.NONE;
    private long fine = Millis.NONE;
    private long other = Millis.NONE;

    /** Adds a {@code Retry-After}. */
    void addStandard(String value, ResetTimeParser when) {
        standard = Math.max(standard, longest(value, when));
    }

    /** Adds a header whose number is in milliseconds. */
    void addMillis(String value) {
        fine = Math.max(fine, ResetTimeParser.millis(value));
    }

    /** Adds a header that counts only where the others are missing. */
    void addOther(String value, ResetTimeParser when) {
        other = Math.max(other, longest(value, when));
    }

    /** {@return the wait in milliseconds; {@link Millis#NONE} if the server named none} */
    long millis() {
        if (standard == Millis.NONE && fine == Millis.NONE) {
            return other;
        }
        boolean same = standard != Millis.NONE && fine != Millis.NONE && Math.abs(standard - fine) < Millis.PER_SECOND;
        return same ? fine : Math.max(standard, fine);
    }

    private static long longest(String value, ResetTimeParser when) {
        long whole = when.until(value);
        return whole != Millis.NONE ? whole : CommaList.longest(value, when::until);
    }
}
