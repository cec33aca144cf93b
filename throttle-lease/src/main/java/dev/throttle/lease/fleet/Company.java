package dev.throttle.lease.fleet;

import java.util.List;

/**
 * The processes that use a key.
 *
 * @param processes how many use it, this one included, at least 1
 * @param rank the place of this one among them, from 0
 * @param busy how many of them have something to do, this one included in any case; 0 if unknown
 * @param perSecond how many requests per second they send together at their limits, as they see it; NaN if unknown
 */
record Company(int processes, int rank, int busy, double perSecond) {

    /** The others are not known. */
    static final Company NONE = new Company(1, 0, 0, Double.NaN);

    static final int FIELDS = 4;

    private static final int MOST = 100_000;
    private static final double FASTEST = 1e9;

    /** {@return what the store says, within bounds} */
    static Company of(List<?> fields) {
        int processes = count(fields.get(0));
        double rate = rate(fields.get(3));
        return new Company(
                Math.max(1, processes),
                Math.min(count(fields.get(1)), Math.max(0, processes - 1)),
                Math.max(1, count(fields.get(2))),
                rate > 0 && rate <= FASTEST ? rate : Double.NaN);
    }

    static int count(Object field) {
        try {
            return Math.min(Math.max(0, Integer.parseInt(String.valueOf(field))), MOST);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static double rate(Object field) {
        try {
            return Double.parseDouble(String.valueOf(field));
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
