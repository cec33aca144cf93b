package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.control.Scope;
import org.jspecify.annotations.Nullable;

/**
 * A route that was found, with the quotas that count its calls. It takes the place of what has found it. Calls of one
 * route share one object, since many may wait.
 *
 * @param name null if the request has none
 * @param scope which quotas count a call, as far as was known when it asked
 */
record FoundRoute(@Nullable String name, Scope scope) implements CallRoute {

    @Override
    public @Nullable String find(CallOptions options) {
        return name;
    }
}
