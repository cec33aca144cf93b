package dev.throttle.okhttp;

import dev.throttle.Throttles;
import dev.throttle.internal.Faults;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings that all doors of one throttle share.
 *
 * @param faults hears of user code that failed inside of the throttle, and of the throttle if it did: no call suffers
 */
record Config(Throttles throttles, KeyResolver keyResolver, ThrottleOptions options, Faults faults) {

    Config(Throttles throttles, KeyResolver keyResolver, ThrottleOptions options) {
        this(throttles, keyResolver, options, new Faults("the key resolver or the throttle of an OkHttp call"));
    }

    /** {@return the request's key; null if it is not throttled} */
    @Nullable String keyOf(Request request) {
        try {
            return keyResolver.keyOf(request);
        } catch (RuntimeException e) {
            faults.report(e);
            return null;
        }
    }
}
