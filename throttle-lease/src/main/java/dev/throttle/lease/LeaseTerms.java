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
 */
record LeaseTerms(
        LeaseSource source,
        String unit,
        double perSecond,
        long burst,
        int expectedProcesses,
        long periodNanos,
        WhenAway whenAway,
        TimeSource time,
        Executor executor) {

    /** {@return the time from permit to permit of the process's share of the limit} */
    long shareIntervalNanos(int sharers) {
        double perProcess = whenAway == WhenAway.LOCAL ? perSecond : perSecond / sharers;
        return (long) Math.min(Math.ceil(1e9 / perProcess), 1e17);
    }

    /** {@return how long a permit may be spent that the process makes itself} */
    long validNanos() {
        return 2 * periodNanos;
    }
}
