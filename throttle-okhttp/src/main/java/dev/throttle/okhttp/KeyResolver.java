package dev.throttle.okhttp;

import okhttp3.HttpUrl;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * Tells by which key a request is throttled: what the server counts by. It sees the tags of the request, and so
 * Retrofit's: {@code request.tag(Invocation.class).method()}. Implementations are thread-safe and fast; if one throws,
 * its request goes out unthrottled.
 */
@FunctionalInterface
public interface KeyResolver {

    /**
     * The key of a request. It is also asked for each redirect that OkHttp follows to another URL.
     *
     * @param request the request
     * @return the key; null if the request is not throttled
     */
    @Nullable String keyOf(Request request);

    /** {@return the default: scheme, host and port} */
    static KeyResolver origin() {
        return request -> {
            HttpUrl url = request.url();
            return url.scheme() + "://" + url.host() + ":" + url.port();
        };
    }
}
