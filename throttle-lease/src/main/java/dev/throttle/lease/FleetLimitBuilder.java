package dev.throttle.lease;

import dev.throttle.signal.Quota;

/**
 * Collects the settings of a limit that a fleet shares. {@link Fleet#tokenBucket} and {@link Fleet#slidingWindow} make
 * it. All processes must use the same settings. Not thread-safe.
 */
public interface FleetLimitBuilder {

    /**
     * Sets the name, which is the reason of waits and identifies the limit within the fleet. Two limits of one throttle
     * need different names.
     *
     * @param value not blank
     * @return this builder
     */
    FleetLimitBuilder name(String value);

    /**
     * Sets the unit that the limit counts. The default is requests.
     *
     * @param value the unit's name as in {@link Quota#unit()}
     * @return this builder
     */
    FleetLimitBuilder unit(String value);

    /**
     * Sets how many tokens a bucket holds. The default is what it receives in one period of its rate. The bucket keeps
     * back as many tokens as it receives while a lease is valid, so that permits that are spent late do not exceed the
     * burst.
     *
     * @param value from 1 to a billion
     * @return this builder
     * @throws IllegalStateException if the limit is a sliding window
     */
    FleetLimitBuilder burst(long value);

    /**
     * Sets the expected number of processes. With {@link WhenAway#SHARE}, a process that has never reached the store
     * uses the limit divided by this number. The default is 10.
     *
     * @param value from 1 to a million
     * @return this builder
     */
    FleetLimitBuilder expectedProcesses(int value);

    /**
     * Sets what happens while the store is unavailable. The default is {@link WhenAway#SHARE}.
     *
     * @param value what
     * @return this builder
     */
    FleetLimitBuilder whenAway(WhenAway value);

    /** {@return the limit, to add to a throttle or registry with {@code limit}} The fleet closes it. */
    LeasedLimit build();
}
