package dev.throttle.spring;

import dev.throttle.client.Origin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;

/**
 * Tells by which key a request of {@code RestClient}, {@code RestTemplate} or {@code WebClient} is throttled: what the
 * server counts by. A bean of this type replaces {@link #origin()}. It sees URL, headers and attributes of the request.
 * Implementations are thread-safe and fast. If one throws, the caller of the client gets the exception, and nothing is
 * sent.
 */
@FunctionalInterface
public interface KeyResolver {

    /**
     * The key of a request. It is asked once for each call; redirects that the HTTP library follows are not seen.
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
