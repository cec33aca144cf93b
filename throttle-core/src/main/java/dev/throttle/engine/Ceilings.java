package dev.throttle.engine;

import dev.throttle.signal.Cost;
import dev.throttle.signal.Demand;
import dev.throttle.signal.Quota;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The most that the server ever grants to one request of each unit, as it said when it refused a larger one. Such a
 * word is believed for ten minutes, since limits grow with the account. Written under the engine's lock, read by any
 * thread.
 */
final class Ceilings {

    private static final long TRUSTED_NANOS = Duration.ofMinutes(10).toNanos();

    /** Never changed, but replaced. */
    private volatile Map<String, Ceiling> ceilings = Map.of();

    private record Ceiling(long limit, long until) {}

    boolean isEmpty() {
        return ceilings.isEmpty();
    }

    /** Learns from a refusal. */
    void learn(Demand demand, long now) {
        if (demand.isTooLarge()) {
            Map<String, Ceiling> changed = new HashMap<>(ceilings);
            changed.values().removeIf(ceiling -> ceiling.until - now <= 0);
            changed.put(demand.unit(), new Ceiling(demand.limit(), now + TRUSTED_NANOS));
            ceilings = Map.copyOf(changed);
        }
    }

    /** Forgets what is no longer true, as the server tells larger limits. */
    void learn(List<Quota> quotas) {
        if (ceilings.isEmpty()) {
            return;
        }
        for (Quota quota : quotas) {
            Ceiling known = ceilings.get(quota.unit());
            Long limit = quota.limit();
            if (known != null && limit != null && limit > known.limit) {
                Map<String, Ceiling> changed = new HashMap<>(ceilings);
                changed.remove(quota.unit());
                ceilings = Map.copyOf(changed);
            }
        }
    }

    /** {@return what a cost, which must be certain, is too large for; null if the server may grant it} */
    @Nullable Demand exceededBy(Cost cost, long now) {
        for (Map.Entry<String, Ceiling> entry : ceilings.entrySet()) {
            long amount = cost.amount(entry.getKey());
            Ceiling ceiling = entry.getValue();
            if (amount > ceiling.limit && ceiling.until - now > 0) {
                return new Demand(entry.getKey(), amount, ceiling.limit);
            }
        }
        return null;
    }

    /** {@return what is to be said about a request that is too large} */
    static String text(Demand demand) {
        return String.format(
                Locale.ROOT,
                "this request can never be accepted: %,d %s, the limit is %,d",
                demand.requested(),
                demand.unit(),
                demand.limit());
    }
}
