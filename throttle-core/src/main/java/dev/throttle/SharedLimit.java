package dev.throttle;

import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.engine.SharedPool;
import dev.throttle.internal.Preconditions;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A fixed limit that several keys or several throttles keep to together: 50 requests a second for a bot and all its
 * routes, 100 requests at a time for an account.
 *
 * <pre>{@code
 * SharedLimit bot = SharedLimit.of("bot", Strategies.tokenBucket().rate(50, Duration.ofSeconds(1)).build());
 * ThrottleRegistry routes = ThrottleRegistry.builder().limit(bot).build();
 * Throttle gateway = Throttle.builder().limit(bot).build();
 * }</pre>
 *
 * <p>Unlike any other strategy it holds state: whatever it is given to, however often, is within one and the same
 * limit. A call waits for all limits of its throttle and takes from all of them together, or from none: while it waits
 * for something else, such as a limit of its own key, others go. Keys that wait for it take turns, whoever came first,
 * so that a busy key does not starve the others. A key that is dropped, paused or closed, or whose callers give up,
 * leaves its turn to the next.
 *
 * <p>A throttle may have several, such as that of a group within that of a company. All throttles that share a limit
 * must have the same {@link ThrottleSettings#time time source}. Priorities count within a key; a
 * {@linkplain PriorityPolicy#reserve reserve} is not kept of a shared limit. Thread-safe.
 */
public final class SharedLimit implements Strategy {

    private final String name;
    private final Strategy limit;
    private final SharedPool pool;

    private SharedLimit(String name, Strategy limit) {
        this.name = name;
        this.limit = limit;
        this.pool = new SharedPool(name, limit);
    }

    /**
     * Makes a limit to be shared.
     *
     * @param name its name, as reason of waits; not blank
     * @param limit what is to be kept to: one of the fixed limits, such as a token bucket, a window or a number of
     *     requests in flight
     * @return the limit
     * @throws IllegalArgumentException if the strategy is not a limit, or one that learns
     */
    public static SharedLimit of(String name, Strategy limit) {
        return new SharedLimit(Preconditions.notBlank("name", name), Preconditions.required("limit", limit));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, String> settings() {
        return limit.settings();
    }

    /** {@return what one throttle has of it; it is made by throttles} */
    @Override
    public RateController newController(RandomGenerator random) {
        return pool.newShare();
    }

    @Override
    public String toString() {
        return name + "(" + limit + ")";
    }
}
