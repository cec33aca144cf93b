package dev.throttle.spring;

import dev.throttle.client.Origin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;

/**
 * Decides by which key a request of {@code RestClient}, {@code RestTemplate} or {@code WebClient} is throttled, that
 * is, what the server counts by. A bean of this type replaces {@link #origin()}. It has access to the URL, the headers
 * and the attributes of the request. Implementations must be thread-safe and fast. If one throws, the caller receives
 * the exception, and nothing is sent.
 */
@FunctionalInterface
public interface KeyResolver {

    /**
     * Returns the key of a request. It is called once for each call, but not for redirects that the HTTP library
     * follows.
     *
     * @param request the request
     * @return the key; null if the request is not throttled
     */
    @Nullable String keyOf(HttpRequest request);

    /** {@return the default: scheme, host and port, such as {@code https://api.github.com:443}} */
    static KeyResolver origin() {
        return request -> Origin.of(request.getURI());
    }
}
