package dev.throttle;

import dev.throttle.control.ControllerHost;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategy;
import dev.throttle.engine.SharedPool;
import dev.throttle.internal.Preconditions;
import java.util.Map;

/**
 * A fixed limit that several keys or several throttles share, such as 50 requests per second for a bot with all its
 * routes, or 100 concurrent requests for an account.
 *
 * <pre>{@code
 * SharedLimit bot = SharedLimit.of("bot", Strategies.tokenBucket().rate(50, Duration.ofSeconds(1)).build());
 * ThrottleRegistry routes = ThrottleRegistry.builder().limit(bot).build();
 * Throttle gateway = Throttle.builder().limit(bot).build();
 * }</pre>
 *
 * <p>Unlike any other strategy it holds state: everything that it is added to shares one limit. A call takes from all
 * limits of its throttle at once, or from none. While it waits for something else, such as a limit of its own key,
 * calls of other keys proceed. Keys that wait for the shared limit take turns, regardless of who came first, so that a
 * busy key does not starve the others. A key that is dropped, paused or closed, or whose callers give up, passes its
 * turn on.
 *
 * <p>A throttle may have several shared limits, such as one of a team and one of the whole company. All throttles that
 * share a limit must have the same {@link Throttle.Builder#time time source}. Priorities apply within a key. A
 * {@linkplain PriorityPolicy#reserve reserve} does not apply to a shared limit. Thread-safe.
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
     * Makes a shared limit.
     *
     * @param name its name, shown as the reason of waits; not blank
     * @param limit one of the fixed limits, such as a token bucket, a window or a number of requests in flight
     * @return the limit
     * @throws IllegalArgumentException if the strategy is not a fixed limit
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

    /** {@return the part of one throttle} Throttles call this. */
    @Override
    public boolean isShared() {
        return true;
    }

    @Override
    public RateController newController(ControllerHost host) {
        return pool.newShare();
    }

    @Override
    public String toString() {
        return name + "(" + limit + ")";
    }
}
