package dev.throttle.signal;

import org.jspecify.annotations.Nullable;

/**
 * Reads from the headers of a response what the call has cost. The throttle settles the call with it. Implementations
 * must be thread-safe and fast. One that throws is passed over, with all that the response says about limits.
 *
 * <pre>{@code
 * CostReader costs = response -> {
 *     List<String> points = response.headers("X-Points");
 *     return points.isEmpty() ? null : Cost.of("points", Long.parseLong(points.get(0)));
 * };
 * HintReader reader = HintReader.builder().costReader(costs).build();
 * }</pre>
 */
@FunctionalInterface
public interface CostReader {

    /**
     * {@return what the call has cost; null if the response does not say}
     *
     * @param response status and headers
     */
    @Nullable Cost read(ResponseHead response);
}
