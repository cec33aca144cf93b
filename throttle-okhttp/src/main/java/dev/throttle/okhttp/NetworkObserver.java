package dev.throttle.okhttp;

import dev.throttle.ThrottleRegistry;
import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;

/**
 * The network interceptor: sees each request that really goes out, and never waits. Where it stands every hop is
 * counted when it begins and learned from when its headers arrive, and no {@code Retry-After} makes OkHttp fail.
 */
final class NetworkObserver implements Interceptor {

    private final Config config;

    NetworkObserver(Config config) {
        this.config = config;
    }

    /** {@return whether it observes the calls of a registry} */
    boolean isOf(ThrottleRegistry throttles) {
        return config.throttles() == throttles;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (chain.connection() == null) {
            throw ThrottlingInterceptor.misplaced(
                    config, "the observer of a throttle is a network interceptor: add it with addNetworkInterceptor");
        }
        OkHttpCall throttled = CallTag.callOf(chain.call(), config.throttles());
        Request request = throttled == null ? chain.request() : throttled.withoutForeign(chain.request());
        if (throttled == null || !throttled.beginRequest(request)) {
            return RetryAfterRepair.repair(chain.proceed(request));
        }
        Response response;
        try {
            response = chain.proceed(request);
        } catch (Throwable failure) {
            throttled.failed(failure);
            throw failure;
        }
        throttled.answered(response, chain.connection());
        return RetryAfterRepair.repair(response);
    }

    @Override
    public String toString() {
        return "NetworkObserver[" + config.throttles().name() + "]";
    }
}
