package dev.throttle.engine;

import dev.throttle.CallOptions;
import dev.throttle.control.Scope;
import org.jspecify.annotations.Nullable;

/** A route that was found, with the quotas that count its call. It takes the place of what has found it. */
final class FoundRoute implements CallRoute {

    /** Null if the request has none. */
    final @Nullable String name;
    /** Which quotas count the call, as far as was known when it asked. */
    Scope scope = Scope.ALL;

    FoundRoute(@Nullable String name) {
        this.name = name;
    }

    @Override
    public @Nullable String find(CallOptions options) {
        return name;
    }
}
