package dev.throttle.lease;

import dev.throttle.time.TimeSource;
import java.util.concurrent.Executor;

/**
 * What all accounts of a limit have in common.
 *
 * @param perSecond the rate of the whole limit
 * @param burst the most that it ever grants at once
 * @param expectedProcesses how many share the limit as long as the store has not told
 * @param periodNanos the time that a lease is made for
 * @param windowNanos the length of a sliding window; 0 if the limit is a bucket
 */
record LeaseTerms(
        LeaseSource source,
        String unit,
        double perSecond,
        long burst,
        int expectedProcesses,
        long periodNanos,
        long windowNanos,
        WhenAway whenAway,
        TimeSource time,
        Executor executor) {

    /** {@return the time from permit to permit of the process's share of the limit} */
    long shareIntervalNanos(int sharers) {
        double perProcess = whenAway == WhenAway.LOCAL ? perSecond : perSecond / sharers;
        double late = windowNanos == 0 ? 0 : (double) validNanos() / windowNanos; // may come too near to the next ones
        return (long) Math.min(Math.ceil(1e9 / perProcess * (1 + late)), 1e17);
    }

    /** {@return how long a permit may be spent at most that the process makes itself} */
    long validNanos() {
        return windowNanos == 0 ? 2 * periodNanos : Math.min(2 * periodNanos, Math.max(2_000_000, windowNanos / 50));
    }
}
