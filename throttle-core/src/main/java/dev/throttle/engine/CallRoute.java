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

    /**
     * {@return a number that only a request with the same method and URL is likely to have; 0 if that is not known}
     * Called without a lock, any number of times.
     */
    default int print() {
        return 0;
    }
}
