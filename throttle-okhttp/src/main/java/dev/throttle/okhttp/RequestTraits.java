package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import java.time.Duration;
import java.util.Set;
import okhttp3.Request;
import okhttp3.RequestBody;

/**
 * What the throttle has to know about a request.
 *
 * @param permits its cost
 * @param isIdempotent whether sending it twice does no harm
 * @param isReplayable whether its body can be sent twice
 * @param retries how often it is sent again at most
 */
record RequestTraits(int permits, boolean isIdempotent, boolean isReplayable, int retries) {

    /** Those that RFC 9110 and its registry call idempotent and that clients send. */
    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT");

    private static final int POLICY = Integer.MAX_VALUE;

    static RequestTraits of(Request request, ThrottleOptions options) {
        RequestBody body = request.body();
        Boolean idempotent = options.idempotent();
        Integer retries = options.retries();
        return new RequestTraits(
                options.permits(),
                idempotent == null ? IDEMPOTENT.contains(request.method()) : idempotent,
                body == null || !(body.isOneShot() || body.isDuplex()),
                retries == null ? POLICY : retries);
    }

    /** {@return the terms of a request that is not repeated} */
    RequestTraits once() {
        return new RequestTraits(permits, isIdempotent, false, retries);
    }

    /** {@return the terms of a request that the server has certainly not processed} */
    RequestTraits untouched() {
        return new RequestTraits(permits, true, isReplayable, retries);
    }

    /**
     * {@return the same for the throttle}
     *
     * @param maxWait the longest total wait
     * @param attempts how often it was sent
     */
    CallOptions toCallOptions(Duration maxWait, int attempts) {
        return new CallOptions(
                permits,
                isIdempotent,
                isReplayable && attempts <= retries,
                maxWait,
                retries == POLICY ? null : retries + 1,
                false);
    }
}
