package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.Faults;
import dev.throttle.signal.BodyClassifier;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings that all doors of one throttle share.
 *
 * @param faults hears of user code that failed inside of the throttle, and of the throttle if it did: no call suffers
 */
record Config(
        ThrottleRegistry throttles,
        KeyResolver keyResolver,
        ThrottleOptions options,
        BodyClassifier bodyClassifier,
        Faults faults) {

    Config(
            ThrottleRegistry throttles,
            KeyResolver keyResolver,
            ThrottleOptions options,
            BodyClassifier bodyClassifier) {
        this(
                throttles,
                keyResolver,
                options,
                bodyClassifier,
                new Faults("the throttle of an OkHttp call, its key resolver or its body classifier"));
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
