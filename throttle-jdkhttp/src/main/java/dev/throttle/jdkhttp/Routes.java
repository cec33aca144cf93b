package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request before it is sent: which throttle paces it, and what may be done with it.
 *
 * @param throttles the throttle of a key
 * @param keyed whether different keys have different throttles
 * @param key the key of a request; null for a request that is not throttled
 * @param replayable whether a request can be sent again
 * @param idempotent whether sending a request twice does no harm
 * @param maxWait the longest total wait of a call; null for the throttle's own
 * @param maxAttempts the most attempts after overloads and faults; null for the retry policy's own
 */
record Routes(
        Function<String, Throttle> throttles,
        boolean keyed,
        Function<HttpRequest, @Nullable String> key,
        Predicate<HttpRequest> replayable,
        Predicate<HttpRequest> idempotent,
        @Nullable Duration maxWait,
        @Nullable Integer maxAttempts) {

    /** {@return the throttle that paces a request; null if none does} */
    @Nullable Throttle throttleOf(HttpRequest request) {
        String requestKey = key.apply(request);
        return requestKey == null ? null : throttles.apply(requestKey);
    }

    CallOptions optionsOf(HttpRequest request) {
        return new CallOptions(1, idempotent.test(request), replayable.test(request), maxWait, maxAttempts, false);
    }
}
