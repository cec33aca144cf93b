package dev.throttle.micrometer;

import dev.throttle.Priority;
import dev.throttle.ThrottleListener;
import dev.throttle.internal.Preconditions;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Makes a Micrometer observation {@code throttle.wait} of each wait of a caller, which becomes a span if tracing is set
 * up: {@code ThrottleRegistry.builder().listener(new ThrottleObservations(observations))}. Its parent is the current
 * observation of the thread that makes the call; asynchronous calls need {@link PropagatedContext} for that. Calls that
 * do not wait are not observed. Thread-safe.
 *
 * <p>Two instances are equal if they have the same registry and convention, so that a throttle accepts only one of
 * them.
 */
@SuppressWarnings("exports") // Micrometer is optional: callers of this have it
public final class ThrottleObservations implements ThrottleListener {

    private static final ThrottleWaitConvention STANDARD = new ThrottleWaitConvention() {};

    private final ObservationRegistry registry;
    private final @Nullable ThrottleWaitConvention convention;

    /**
     * Makes observations with the default names.
     *
     * @param registry the registry
     */
    public ThrottleObservations(ObservationRegistry registry) {
        this.registry = Preconditions.required("registry", registry);
        this.convention = null;
    }

    /**
     * Makes observations with other names.
     *
     * @param registry the registry
     * @param convention names and describes each observation
     */
    public ThrottleObservations(ObservationRegistry registry, ThrottleWaitConvention convention) {
        this.registry = Preconditions.required("registry", registry);
        this.convention = Preconditions.required("convention", convention);
    }

    @Override
    public @Nullable WaitObserver onWaitStart(Source throttle, Priority priority, String reason, Duration atLeast) {
        if (registry.isNoop()) {
            return null;
        }
        ThrottleWaitContext context = new ThrottleWaitContext(throttle, priority, reason, atLeast);
        Observation observation = Observation.start(convention, STANDARD, () -> context, registry);
        return observation.isNoop()
                ? null
                : (why, wait, failure) -> {
                    context.ended(why, wait, failure);
                    if (context.getRejection() != null) {
                        observation.error(context.getRejection());
                    }
                    observation.stop();
                };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ThrottleObservations same
                && registry.equals(same.registry)
                && (convention == null ? same.convention == null : convention.equals(same.convention));
    }

    @Override
    public int hashCode() {
        return registry.hashCode();
    }
}
