package dev.throttle.engine;

import dev.throttle.control.Scope;
import org.jspecify.annotations.Nullable;

/**
 * The route of a call: which calls the quotas of the server count alike. An HTTP client's call tells it by its request,
 * but only if it matters, as most servers have one quota.
 */
public abstract class CallRoute {

    private @Nullable String name;
    private boolean isFound;
    private Scope scope = Scope.ALL;

    /** Makes a route that is not found yet. */
    protected CallRoute() {}

    /** {@return a route that is known} */
    static CallRoute of(@Nullable String name) {
        return new CallRoute() {
            @Override
            protected @Nullable String find() {
                return name;
            }
        };
    }

    /**
     * Finds out the route. Called once at the most, without a lock.
     *
     * @return the method and the path, without what differs from call to call; null if the request has none
     */
    protected abstract @Nullable String find();

    final void look() {
        if (!isFound) {
            isFound = true;
            name = find();
        }
    }

    /** {@return its name; null while it does not matter} */
    final @Nullable String name() {
        return name;
    }

    /** {@return which quotas count the call, as far as was known when it asked} */
    final Scope scope() {
        return scope;
    }

    final void scope(Scope known) {
        scope = known;
    }
}
