package dev.throttle.concurrencylimits;

import com.netflix.concurrency.limits.Limit;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.internal.Preconditions;
import java.util.function.Supplier;

/**
 * Limits the number of requests in flight with an algorithm of Netflix's concurrency-limits, which adapts the limit to
 * round-trip times and refusals. Further callers wait in the throttle's queue.
 *
 * <pre>{@code
 * Throttle.builder()
 *         .limit(AdaptiveInFlightLimit.of(() -> VegasLimit.newBuilder().build()))
 *         .build();
 * }</pre>
 *
 * <p>Each accepted request is a sample. Each busy response, each fault, and each rate-limited response that no quota of
 * requests explains is a drop. Requests that were cancelled or that the server did not count are ignored. A round trip
 * lasts from the time the request was sent until it ended, without its wait.
 *
 * <p>Immutable and thread-safe, if the supplier is.
 */
public final class AdaptiveInFlightLimit implements Strategy {

    /** The name of the strategy, and the reason of waits for it. */
    public static final String NAME = "adaptive-in-flight";

    private final Supplier<? extends Limit> algorithm;

    private AdaptiveInFlightLimit(Supplier<? extends Limit> algorithm) {
        this.algorithm = algorithm;
    }

    /**
     * {@return an adaptive limit}
     *
     * @param algorithm makes the algorithm of one throttle, such as a {@code Gradient2Limit}, {@code VegasLimit} or
     *     {@code AIMDLimit}. It must return a new one each time, and is called once more when a throttle is built
     */
    @SuppressWarnings("exports") // the module is optional: callers of this have it
    public static AdaptiveInFlightLimit of(Supplier<? extends Limit> algorithm) {
        return new AdaptiveInFlightLimit(Preconditions.required("algorithm", algorithm));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RateController newController(ControllerHost host) {
        return new AdaptiveInFlightController(Preconditions.required("algorithm", algorithm.get()));
    }

    @Override
    public String toString() {
        return NAME;
    }
}
