package dev.throttle.lease;

import dev.throttle.internal.Preconditions;
import dev.throttle.lease.fleet.SharedFleet;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Registers meters for a fleet in a Micrometer registry: {@code new FleetMetrics(fleet).bindTo(registry)}. The gauge
 * {@code throttle.fleet.connected} is 1 while the store answers and 0 otherwise. {@code throttle.fleet.processes} is
 * the number of processes in the fleet. {@code throttle.fleet.lease}, with the tag {@code limit}, is the number of
 * permits that this process has leased but not spent. The counter {@code throttle.fleet.losses} tells how often the
 * store had lost the state of a limit. All have the tag {@code fleet}. The registry does not keep the fleet alive.
 */
@SuppressWarnings("exports") // Micrometer is optional: callers of this have it
public final class FleetMetrics implements MeterBinder {

    private final Fleet fleet;

    /**
     * Makes the metrics of a fleet.
     *
     * @param fleet the fleet
     */
    public FleetMetrics(Fleet fleet) {
        this.fleet = Preconditions.required("fleet", fleet);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("throttle.fleet.connected", fleet, shown -> shown.isConnected() ? 1 : 0)
                .description("1 while the store answers, 0 otherwise")
                .tag("fleet", fleet.name())
                .register(registry);
        Gauge.builder("throttle.fleet.processes", fleet, Fleet::processes)
                .description("Processes in the fleet that this one knows of")
                .tag("fleet", fleet.name())
                .register(registry);
        FunctionCounter.builder("throttle.fleet.losses", fleet, Fleet::losses)
                .description("How often the store had lost the state of a limit")
                .tag("fleet", fleet.name())
                .register(registry);
        String name = fleet.name();
        if (!(fleet instanceof SharedFleet shared)) {
            return; // one that a test has made up
        }
        shared.watchLimits(limit -> Gauge.builder("throttle.fleet.lease", limit, LeasedLimit::atHand)
                .description("Permits leased but not spent, over all keys")
                .baseUnit("permits")
                .tag("fleet", name)
                .tag("limit", limit.name())
                .register(registry));
    }
}
