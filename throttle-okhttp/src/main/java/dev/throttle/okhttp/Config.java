package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Misuse;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Cost;
import java.io.IOException;
import java.util.function.Function;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * The checked settings that all doors of one throttle share.
 *
 * @param throttleOf the throttle of a key
 * @param faults hears of a body classifier that failed
 * @param misuse warns of what looks like a mistake in the set-up of the client
 */
record Config(
        ThrottleRegistry throttles,
        KeyResolver keyResolver,
        CallOptions options,
        BodyClassifier bodyClassifier,
        Function<Request, @Nullable Cost> costEstimator,
        Function<String, Throttle> throttleOf,
        Faults faults,
        Misuse misuse) {

    Config(
            ThrottleRegistry throttles,
            KeyResolver keyResolver,
            CallOptions options,
            BodyClassifier bodyClassifier,
            Function<Request, @Nullable Cost> costEstimator) {
        this(
                throttles,
                keyResolver,
                options,
                bodyClassifier,
                costEstimator,
                throttles::get,
                new Faults("the body classifier of an OkHttp call"),
                new Misuse());
    }

    /**
     * {@return the request's key; null if it is not throttled}
     *
     * @throws IOException with what the resolver threw as its cause
     */
    @Nullable String keyOf(Request request) throws IOException {
        try {
            return keyResolver.keyOf(request);
        } catch (Throwable e) {
            throw mistake(e);
        }
    }

    /** {@return the options of a request} */
    CallOptions optionsOf(Request request) {
        CallOptions own = request.tag(CallOptions.class);
        return own == null ? options : own;
    }

    /** {@return the caller's own exception in the only form that OkHttp hands on} */
    static IOException mistake(Throwable cause) {
        return new IOException("the call was not sent because it cannot be throttled: " + cause, cause);
    }
}
