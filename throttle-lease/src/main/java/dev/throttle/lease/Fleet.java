package dev.throttle.lease;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import java.time.Duration;

/**
 * A group of processes that share what they learn about servers, and fixed limits.
 *
 * <pre>{@code
 * Fleet fleet = FileFleet.open("billing"); // processes of one machine; RedisFleet for many machines
 * ThrottleRegistry throttles = ThrottleRegistry.builder()
 *         .limit(fleet.tokenBucket(1000, Duration.ofSeconds(1)).build())
 *         .build();
 * fleet.join(throttles);
 * }</pre>
 *
 * <p>No request waits for the store while its process has permits. While the store is unavailable, each process relies
 * on what it knows itself, and fixed limits follow {@link FleetLimitBuilder#whenAway}. Registries that share need the
 * same name in all processes. Thread-safe.
 */
public interface Fleet extends AutoCloseable {

    /** {@return the name} */
    String name();

    /** {@return whether the store answers} */
    boolean isConnected();

    /** {@return how many processes are in the fleet now, including this one; 1 if unknown} */
    int processes();

    /**
     * {@return how many processes use a key of a registry now, including this one; 1 if unknown}
     *
     * @param throttle the name of the registry
     * @param key the key
     */
    int processes(String throttle, String key);

    /**
     * {@return how often this process found that the store had lost the state of a limit} For example, Redis was
     * restarted, or a file was deleted. The state was restored then as if all were used.
     */
    long losses();

    /**
     * Makes a registry's throttles share what they learn with the fleet. Keys that are made later start with what the
     * fleet knows.
     *
     * @param throttles the registry; its name and keys must be the same in all processes
     * @return this fleet
     */
    Fleet join(ThrottleRegistry throttles);

    /**
     * Makes a throttle share what it learns with the fleet.
     *
     * @param throttle the throttle; its name must be the same in all processes
     * @return this fleet
     */
    Fleet join(Throttle throttle);

    /**
     * {@return a builder of a token bucket that the whole fleet shares} In any time t at most burst + rate * t permits
     * are used.
     *
     * @param permits tokens per period, from 1 to a billion
     * @param period the period, above zero, at most 31 days
     */
    FleetLimitBuilder tokenBucket(long permits, Duration period);

    /**
     * {@return a builder of a sliding window that the whole fleet shares} In any interval of its length at most the
     * limit is used.
     *
     * @param limit permits per window, from 1 to a billion
     * @param window the length of the window, above zero, at most 31 days
     */
    FleetLimitBuilder slidingWindow(long limit, Duration window);

    /**
     * Leaves the fleet. Leased permits are given back, and the other processes are informed. Throttles continue on
     * their own. A closed fleet cannot be joined, and makes no limits.
     */
    @Override
    void close();
}
