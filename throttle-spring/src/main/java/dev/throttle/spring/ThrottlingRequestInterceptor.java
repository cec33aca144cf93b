package dev.throttle.spring;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.KeyedCall;
import dev.throttle.signal.BodyClassifier;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.Map;
import java.util.function.Function;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Throttles the requests of a {@code RestClient} or {@code RestTemplate} with any HTTP library: it waits before a
 * request is sent, learns from the response, and retries requests that the server refused. It must be the first
 * interceptor; the interceptors behind it run for each attempt. (With Spring Framework 6.2 they run for the first
 * attempt only: make it the last one there if they must see each attempt.) The starter adds it to every client that is
 * made with a builder of Spring Boot. For other clients:
 *
 * <pre>{@code
 * RestClient client = RestClient.builder()
 *         .requestInterceptor(ThrottlingRequestInterceptor.create(ThrottleRegistry.create()))
 *         .build();
 * }</pre>
 *
 * <p>The calling thread waits. The wait ends with an {@link InterruptedIOException} if the thread is interrupted. If
 * the wait would be too long, the request fails with a {@link dev.throttle.ThrottleRejectedException}, an
 * {@link IOException}; Spring's clients wrap it in a {@code ResourceAccessException}. A refused response is closed
 * before the request is retried. If it is not retried, the response is returned unchanged. A request that passes two
 * interceptors with the same registry is throttled by the first. Thread-safe.
 */
public final class ThrottlingRequestInterceptor implements ClientHttpRequestInterceptor {

    private final SpringCalls calls;

    private ThrottlingRequestInterceptor(SpringCalls calls) {
        this.calls = calls;
    }

    /**
     * {@return an interceptor with the defaults}
     *
     * @param throttles the throttles, one for each origin
     */
    public static ThrottlingRequestInterceptor create(ThrottleRegistry throttles) {
        return create(throttles, KeyResolver.origin(), uri -> CallOptions.DEFAULT, BodyClassifier.standard());
    }

    /**
     * {@return an interceptor with settings of its own}
     *
     * @param throttles the throttle of each key
     * @param keys decides by which key a request is throttled
     * @param options the options of a request to a URL, unless it has options of its own
     *     ({@link ThrottleAttributes#options})
     * @param classifier recognizes refusals by their bodies
     */
    public static ThrottlingRequestInterceptor create(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            BodyClassifier classifier) {
        return create(throttles, keys, options, TenantResolver.none(), classifier);
    }

    /**
     * {@return an interceptor with settings of its own, for calls of several tenants}
     *
     * @param throttles the throttle of each key
     * @param keys decides by which key a request is throttled
     * @param options the options of a request to a URL, unless it has options of its own
     *     ({@link ThrottleAttributes#options})
     * @param tenants decides on whose behalf a request is made, unless its options tell
     * @param classifier recognizes refusals by their bodies
     */
    public static ThrottlingRequestInterceptor create(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            TenantResolver tenants,
            BodyClassifier classifier) {
        return new ThrottlingRequestInterceptor(new SpringCalls(throttles, keys, options, tenants, classifier));
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        KeyedCall call = calls.begin(request, body);
        if (call == null) {
            return execution.execute(request, body);
        }
        Map<String, Object> attributes = request.getAttributes();
        Object outer = attributes.put(SpringCalls.LAYER, SpringCalls.layerOf(call));
        try {
            return calls.loop().run(call, new BlockingRequest(request, body, execution));
        } catch (InterruptedException e) {
            throw BlockingRequest.interrupted(e);
        } finally {
            if (outer == null) {
                attributes.remove(SpringCalls.LAYER);
            } else {
                attributes.put(SpringCalls.LAYER, outer);
            }
        }
    }

    @Override
    public String toString() {
        return "ThrottlingRequestInterceptor[" + calls.throttles().name() + "]";
    }
}
