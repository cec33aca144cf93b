package dev.throttle.okhttp;

import dev.throttle.client.Origin;
import okhttp3.HttpUrl;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * Tells by which key a request is throttled: what the server counts by. It sees the tags of the request, and so
 * Retrofit's: {@code request.tag(Invocation.class).method()}. Implementations are thread-safe and fast. If one throws,
 * the call fails with an {@link java.io.IOException} that has the exception as its cause, and nothing is sent.
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

    /** {@return the default: scheme, host and port, such as {@code https://api.github.com:443}} */
    static KeyResolver origin() {
        return request -> {
            HttpUrl url = request.url();
            return Origin.of(url.scheme(), url.host(), url.port());
        };
    }
}
