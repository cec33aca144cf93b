package dev.throttle.okhttp;

import java.io.IOException;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * The network interceptor: sees each request that really goes out, and never waits. Where it stands every hop is
 * counted when it begins and learned from when its headers arrive, and no {@code Retry-After} makes OkHttp fail.
 */
final class NetworkObserver implements Interceptor {

    private final Config config;

    NetworkObserver(Config config) {
        this.config = config;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Request request = chain.request();
        Journey journey = CallTag.journeyOf(chain.call(), config.throttles());
        Attempt.Hop hop = journey == null ? null : begin(journey, request);
        Response response;
        try {
            response = chain.proceed(request);
        } catch (Throwable failure) {
            if (hop != null) {
                fail(hop, failure, chain.call().isCanceled());
            }
            throw failure;
        }
        if (hop != null) {
            end(hop, response);
        }
        return RetryAfterRepair.repair(response);
    }

    private Attempt.@Nullable Hop begin(Journey journey, Request request) {
        try {
            return journey.attempt().beginHop(request);
        } catch (RuntimeException e) {
            config.faults().report(e);
            return null;
        }
    }

    private void end(Attempt.Hop hop, Response response) {
        try {
            hop.end(response);
        } catch (RuntimeException e) {
            config.faults().report(e);
        }
    }

    private void fail(Attempt.Hop hop, Throwable failure, boolean isCanceled) {
        try {
            hop.fail(failure, isCanceled, true);
        } catch (RuntimeException e) {
            config.faults().report(e);
        }
    }
}
