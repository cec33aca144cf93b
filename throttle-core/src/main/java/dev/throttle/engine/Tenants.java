package dev.throttle.engine;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tenants that have calls in the queue: how many each, and what share each is to get. A tenant without a waiting
 * call leaves nothing here. Calls without a tenant are those of one more. Guarded by the engine's lock.
 */
final class Tenants {

    private static final int USUAL_WEIGHT = 1;

    private Map<String, Integer> weights = Map.of();
    /** How many calls of each wait, in line or resting. */
    private final Map<String, Integer> waiting = new HashMap<>();

    /** Goes on by other weights. */
    void follow(Map<String, Integer> next) {
        weights = next;
    }

    int weight(@Nullable String tenant) {
        return tenant == null || weights.isEmpty() ? USUAL_WEIGHT : weights.getOrDefault(tenant, USUAL_WEIGHT);
    }

    /** A call of a tenant waits. */
    void joins(@Nullable String tenant) {
        if (tenant != null) {
            waiting.merge(tenant, 1, Integer::sum);
        }
    }

    /** A call of a tenant does not wait any more. */
    void leaves(@Nullable String tenant) {
        if (tenant != null) {
            waiting.computeIfPresent(tenant, (name, calls) -> calls == 1 ? null : calls - 1);
        }
    }

    /** {@return how many tenants have a call that waits, without the calls that have none} */
    int size() {
        return waiting.size();
    }
}
