package dev.throttle.redis;

import dev.throttle.internal.Preconditions;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows a fleet in a Micrometer registry: the gauge {@code throttle.fleet.connected} with the tag {@code fleet}, 1
 * while the store answers and 0 while it does not. The registry does not keep the fleet alive.
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
                .description("1 while the store of the fleet answers")
                .tag("fleet", fleet.name())
                .register(registry);
    }
}
