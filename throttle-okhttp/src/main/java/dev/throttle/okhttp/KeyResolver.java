package dev.throttle.okhttp;

import dev.throttle.client.Origin;
import okhttp3.HttpUrl;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * Decides by which key a request is throttled, that is, what the server counts by. It has access to the tags of the
 * request, including Retrofit's: {@code request.tag(Invocation.class).method()}. Implementations must be thread-safe
 * and fast. If one throws, the call fails with an {@link java.io.IOException} that has the exception as its cause, and
 * nothing is sent.
 */
@FunctionalInterface
public interface KeyResolver {

    /**
     * Returns the key of a request. It is also called for each redirect that OkHttp follows to another URL.
     *
     * @param request the request
     * @return the key; null if the request is not throttled
     */
    @Nullable String keyOf(Request request);

    /**
     * {@return the default resolver, whose keys are scheme, host and port, such as {@code https://api.github.com:443}}
     */
    static KeyResolver origin() {
        return request -> {
            HttpUrl url = request.url();
            return Origin.of(url.scheme(), url.host(), url.port());
        };
    }
}
