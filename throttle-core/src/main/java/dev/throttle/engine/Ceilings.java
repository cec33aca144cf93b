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
 * The most that the server ever grants to one request of a route, of each unit, as it said when it refused a larger
 * one. Such a word is believed for ten minutes, since limits grow with the account. Written under the engine's lock,
 * read by any thread.
 */
final class Ceilings {

    private static final long TRUSTED_NANOS = Duration.ofMinutes(10).toNanos();
    /** Routes that are told apart by ids must not fill the memory. */
    private static final int MOST = 64;

    /** Never changed, but replaced. */
    private volatile Map<Key, Ceiling> ceilings = Map.of();
    /** When the last of them ends. */
    private volatile long lastUntil;

    /** What a ceiling is of: other models, which are other routes, may have others. */
    private record Key(String route, String unit) {}

    private record Ceiling(long limit, long until) {}

    /** {@return whether there are none} */
    boolean isEmpty(long now) {
        return ceilings.isEmpty() || lastUntil - now <= 0;
    }

    /** Learns from an answer: a ceiling, or that one is no longer true, as the server tells a larger limit. */
    void learn(String route, @Nullable Demand demand, List<Quota> quotas, long now) {
        Demand tooLarge = demand != null && demand.isTooLarge() ? demand : null;
        if (ceilings.isEmpty() && tooLarge == null) {
            return;
        }
        Map<Key, Ceiling> changed = new HashMap<>(ceilings);
        changed.values().removeIf(ceiling -> ceiling.until - now <= 0);
        if (tooLarge != null && changed.size() < MOST) {
            lastUntil = now + TRUSTED_NANOS;
            changed.put(new Key(route, tooLarge.unit()), new Ceiling(tooLarge.limit(), lastUntil));
        }
        for (Quota quota : quotas) {
            Key key = new Key(route, quota.unit());
            Ceiling known = changed.get(key);
            Long limit = quota.limit();
            if (known != null && limit != null && limit > known.limit) {
                changed.remove(key);
            }
        }
        ceilings = Map.copyOf(changed);
    }

    /** {@return what a cost, which must be certain, is too large for; null if the server may grant it} */
    @Nullable Demand exceededBy(@Nullable String route, Cost cost, long now) {
        for (Map.Entry<Key, Ceiling> entry : ceilings.entrySet()) {
            String unit = entry.getKey().unit;
            long amount = cost.amount(unit);
            Ceiling ceiling = entry.getValue();
            if (entry.getKey().route.equals(route) && amount > ceiling.limit && ceiling.until - now > 0) {
                return new Demand(unit, amount, ceiling.limit);
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
