package dev.throttle.okhttp;

import dev.throttle.Throttles;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/** The checked settings that all doors of one throttle share. */
record Config(Throttles throttles, KeyResolver keyResolver, ThrottleOptions options, AtomicBoolean hasComplained) {

    private static final Logger LOG = System.getLogger("dev.throttle.okhttp");

    Config(Throttles throttles, KeyResolver keyResolver, ThrottleOptions options) {
        this(throttles, keyResolver, options, new AtomicBoolean());
    }

    /** {@return the request's key; null if it is not throttled} */
    @Nullable String keyOf(Request request) {
        try {
            return keyResolver.keyOf(request);
        } catch (RuntimeException e) {
            complain("the key resolver failed, so its request is not throttled", e);
            return null;
        }
    }

    /** Logs a failure of the user's code inside the throttle: the first one loudly, as it will hardly be the last. */
    void complain(String what, RuntimeException failure) {
        LOG.log(hasComplained.compareAndSet(false, true) ? Level.WARNING : Level.DEBUG, what, failure);
    }
}
