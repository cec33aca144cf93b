package dev.throttle.redis;

import dev.throttle.internal.Preconditions;
import dev.throttle.lease.LeasedLimit;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows a fleet in a Micrometer registry. The gauge {@code throttle.fleet.connected} is 1 while the store answers and 0
 * while it does not; {@code throttle.fleet.processes} tells how many processes are in the fleet; and
 * {@code throttle.fleet.lease}, with the tag {@code limit}, how many permits this process has leased and not spent. All
 * have the tag {@code fleet}. The registry does not keep the fleet alive.
 */
@SuppressWarnings("exports") // Micrometer is optional: who calls this has it
public final class FleetMetrics implements MeterBinder {

    private final Fleet fleet;

    /**
     * Metrics of a fleet.
     *
     * @param fleet the fleet
     */
    public FleetMetrics(Fleet fleet) {
        this.fleet = Preconditions.required("fleet", fleet);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("throttle.fleet.connected", fleet, shown -> shown.isConnected() ? 1 : 0)
                .description("1 while Redis answers, 0 otherwise")
                .tag("fleet", fleet.name())
                .register(registry);
        Gauge.builder("throttle.fleet.processes", fleet, Fleet::processes)
                .description("Processes in the fleet that this one knows of")
                .tag("fleet", fleet.name())
                .register(registry);
        String name = fleet.name();
        fleet.limits.watch(limit -> Gauge.builder("throttle.fleet.lease", limit, LeasedLimit::atHand)
                .description("Permits leased but not spent, over all keys")
                .baseUnit("permits")
                .tag("fleet", name)
                .tag("limit", limit.name())
                .register(registry));
    }
}
