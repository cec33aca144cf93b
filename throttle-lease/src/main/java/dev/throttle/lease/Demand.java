package dev.throttle.lease;

/** How many permits a process spends, and how many it could. Not thread-safe. */
final class Demand {

    private static final long SHORTEST_BIN_NANOS = 100_000_000L;
    /** What callers waited for is forgotten after this time, unless a caller waits. */
    private static final long LONGEST_LOOK_NANOS = 1_000_000_000L;

    /** Spent in the bin under way, and the average of those before, the latest counting half. */
    private long inBin;

    private long binNanos = SHORTEST_BIN_NANOS;
    private double perBin;
    private long binStart;
    private boolean begun;
    /** What callers were seen to wait for, less what was spent since. */
    private long wanted;

    private long wantedAt;

    private void roll(long now) {
        if (!begun) {
            begun = true;
            binStart = now;
            wantedAt = now;
        }
        long bins = (now - binStart) / binNanos;
        if (bins > 0) {
            perBin = Math.scalb((perBin + (double) inBin) / 2, (int) -Math.min(60, bins - 1));
            inBin = 0;
            binStart += bins * binNanos;
        }
    }

    /**
     * Notes that a caller waits.
     *
     * @param units what it needs, together with the callers before it
     */
    void wants(long units, long now) {
        roll(now);
        wanted = now - wantedAt > LONGEST_LOOK_NANOS ? units : Math.max(wanted, units);
        wantedAt = now;
    }

    void spends(long units, long now) {
        roll(now);
        inBin += units;
        wanted = Math.max(0, wanted - units);
    }

    /**
     * {@return how many units will be of use in the next period}
     *
     * @param isShort whether a caller waits because the last lease was too small
     * @param periodNanos the length of the period
     */
    long expected(boolean isShort, long periodNanos, long now) {
        binNanos = Math.max(SHORTEST_BIN_NANOS, periodNanos);
        boolean waits = isShort || (begun && now - wantedAt <= LONGEST_LOOK_NANOS);
        double spent = Math.max(perBin, (double) inBin) * periodNanos / binNanos;
        long usual = Math.round(Math.min(isShort ? 2 * spent : spent, 1e12));
        long least = isShort ? 1 : 0; // however old: waiting callers do not ask again before there are permits
        return Math.max(least, Math.max(waits ? wanted : 0, usual));
    }
}
