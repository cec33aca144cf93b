package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.client.KeyedCall;
import dev.throttle.client.RequestTraits;
import dev.throttle.signal.Cost;
import java.net.http.HttpRequest;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which throttle paces a request, and what its call wants.
 *
 * @param throttles the throttle of a key
 * @param mayLeadAway whether another key than that of the request may turn out to have answered it
 * @param keyResolver the key of a request; null for a request that is not throttled
 * @param options what the call of a request wants
 * @param costEstimator what a request probably costs; null for what shows of that
 * @param detours where redirects led before
 */
record Routes(
        Function<String, Throttle> throttles,
        boolean mayLeadAway,
        Function<HttpRequest, @Nullable String> keyResolver,
        Function<HttpRequest, CallOptions> options,
        Function<HttpRequest, @Nullable Cost> costEstimator,
        Detours detours) {

    @Nullable String keyOf(HttpRequest request) {
        return keyResolver.apply(request);
    }

    /**
     * {@return a call with a request; null if it is not throttled}
     *
     * @param given what its caller wants; null to go by the client's options
     */
    @Nullable KeyedCall newCall(HttpRequest request, @Nullable CallOptions given) {
        CallOptions wanted = given == null ? options.apply(request) : given;
        if (wanted.isExempt()) {
            return null;
        }
        String key = keyOf(request);
        if (key == null) {
            return null;
        }
        Throttle throttle = throttles.apply(key);
        boolean isReplayable = Boolean.TRUE.equals(wanted.replayable()) || Requests.isReplayable(request);
        KeyedCall call = new KeyedCall(throttles, throttle, RequestTraits.of(request.method(), isReplayable, wanted));
        RequestCosts.derive(call, costEstimator.apply(request), request);
        return call;
    }
}
