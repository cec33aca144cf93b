package dev.throttle.lease.fleet;

import dev.throttle.internal.Preconditions;
import dev.throttle.lease.FleetLimitBuilder;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.lease.WhenAway;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Quota;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;

/** The settings of a limit of the fleet, whatever its store. Not thread-safe. */
final class SharedLimitBuilder implements FleetLimitBuilder {

    private static final Duration LONGEST = Duration.ofDays(31);

    private final SharedFleet fleet;
    private final boolean isWindow;
    private final long permits;
    private final Duration period;
    private String name;
    private String unit = Quota.REQUESTS;
    private long burst;
    private int expectedProcesses = 10;
    private WhenAway whenAway = WhenAway.SHARE;

    SharedLimitBuilder(SharedFleet fleet, boolean isWindow, long permits, Duration period) {
        this.fleet = fleet;
        this.isWindow = isWindow;
        this.permits = Preconditions.between("permits", permits, 1, 1_000_000_000);
        this.period = Preconditions.positive("period", period);
        Preconditions.check(period.compareTo(LONGEST) <= 0, "period", period, "at most " + LONGEST);
        this.name = isWindow ? "fleet-sliding-window" : "fleet-token-bucket";
        this.burst = permits;
    }

    @Override
    public FleetLimitBuilder name(String value) {
        this.name = Preconditions.notBlank("name", value);
        return this;
    }

    @Override
    public FleetLimitBuilder unit(String value) {
        Cost.of(value, 0); // checks the name
        this.unit = value;
        return this;
    }

    @Override
    public FleetLimitBuilder burst(long value) {
        if (isWindow) {
            throw new IllegalStateException("a sliding window has no burst");
        }
        this.burst = Preconditions.between("burst", value, 1, 1_000_000_000);
        return this;
    }

    @Override
    public FleetLimitBuilder expectedProcesses(int value) {
        this.expectedProcesses = (int) Preconditions.between("expectedProcesses", value, 1, 1_000_000);
        return this;
    }

    @Override
    public FleetLimitBuilder whenAway(WhenAway value) {
        this.whenAway = Preconditions.required("whenAway", value);
        return this;
    }

    @Override
    public LeasedLimit build() {
        return fleet.limit(this);
    }

    String name() {
        return name;
    }

    StoreLeases source(FleetStore store, FleetKeys keys, StoreClock clock, TimeSource time, String client) {
        return new StoreLeases(store, keys, clock, time, client, name, permits, period, isWindow ? 0 : burst);
    }

    LeasedLimit limit(StoreLeases source, TimeSource time, Executor executor) {
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
