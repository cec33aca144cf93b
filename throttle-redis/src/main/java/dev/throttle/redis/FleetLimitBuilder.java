package dev.throttle.redis;

import dev.throttle.internal.Preconditions;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Collects the settings of a limit that a fleet shares. {@link Fleet#tokenBucket} and {@link Fleet#slidingWindow} make
 * it. All processes must use the same settings. Not thread-safe.
 */
public final class FleetLimitBuilder {

    private static final Duration LONGEST = Duration.ofDays(31);

    private final Fleet fleet;
    private final boolean isWindow;
    private final long permits;
    private final Duration period;
    private String name;
    private String unit = Quota.REQUESTS;
    private long burst;
    private int expectedProcesses = 10;
    private WhenAway whenAway = WhenAway.SHARE;

    FleetLimitBuilder(Fleet fleet, boolean isWindow, long permits, Duration period) {
        this.fleet = fleet;
        this.isWindow = isWindow;
        this.permits = Preconditions.between("permits", permits, 1, 1_000_000_000);
        this.period = Preconditions.positive("period", period);
        Preconditions.check(period.compareTo(LONGEST) <= 0, "period", period, "at most " + LONGEST);
        this.name = isWindow ? "fleet-sliding-window" : "fleet-token-bucket";
        this.burst = permits;
    }

    /**
     * Sets the name, which is the reason of waits and identifies the limit within the fleet. Two limits of one throttle
     * need different names.
     *
     * @param value not blank
     * @return this builder
     */
    public FleetLimitBuilder name(String value) {
        this.name = Preconditions.notBlank("name", value);
        return this;
    }

    /**
     * Sets the unit that the limit counts. The default is requests.
     *
     * @param value the unit's name as in {@link Quota#unit()}
     * @return this builder
     */
    public FleetLimitBuilder unit(String value) {
        Cost.of(value, 0); // checks the name
        this.unit = value;
        return this;
    }

    /**
     * Sets how many tokens a bucket holds. The default is what it receives in one period of its rate. The bucket keeps
     * back as many tokens as it receives while a lease is valid, so that permits that are spent late do not exceed the
     * burst.
     *
     * @param value from 1 to a billion
     * @return this builder
     * @throws IllegalStateException if the limit is a sliding window
     */
    public FleetLimitBuilder burst(long value) {
        if (isWindow) {
            throw new IllegalStateException("a sliding window has no burst");
        }
        this.burst = Preconditions.between("burst", value, 1, 1_000_000_000);
        return this;
    }

    /**
     * Sets the expected number of processes. With {@link WhenAway#SHARE}, a process that has never reached Redis uses
     * the limit divided by this number. The default is 10.
     *
     * @param value from 1 to a million
     * @return this builder
     */
    public FleetLimitBuilder expectedProcesses(int value) {
        this.expectedProcesses = (int) Preconditions.between("expectedProcesses", value, 1, 1_000_000);
        return this;
    }

    /**
     * Sets what happens while Redis is unavailable. The default is {@link WhenAway#SHARE}.
     *
     * @param value what
     * @return this builder
     */
    public FleetLimitBuilder whenAway(WhenAway value) {
        this.whenAway = Preconditions.required("whenAway", value);
        return this;
    }

    /** {@return the limit, to add to a throttle or registry with {@code limit}} The fleet closes it. */
    public LeasedLimit build() {
        return fleet.limit(this);
    }

    String name() {
        return name;
    }

    RedisLeases source(RedisStore store, FleetKeys keys, ServerClock clock, TimeSource time, String client) {
        return new RedisLeases(store, keys, clock, time, client, name, permits, period, isWindow ? 0 : burst);
    }

    LeasedLimit limit(RedisLeases source, TimeSource time, Executor executor) {
        LeasedLimit.Builder limit = LeasedLimit.builder(source, permits, period);
        return (isWindow ? limit.slidingWindow() : limit)
                .name(name)
                .unit(unit)
                .burst(burst)
                .expectedProcesses(expectedProcesses)
                .whenAway(whenAway)
                .time(time)
                .executor(executor)
                .build();
    }
}
