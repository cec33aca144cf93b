package dev.throttle.engine;

import dev.throttle.CallOptions;
import org.jspecify.annotations.Nullable;

/**
 * Finds out the route of a call: which calls the quotas of the server count alike. It is looked for only if it matters,
 * as most servers have one quota.
 */
@FunctionalInterface
public interface CallRoute {

    /**
     * Finds out the route. Called once at the most, without a lock, and not for a call whose options name its route.
     *
     * @param options what is known of the call
     * @return the method and the path, without what differs from call to call; null if the request has none
     */
    @Nullable String find(CallOptions options);
}
