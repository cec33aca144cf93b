package dev.throttle.spring;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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
    /** Makes the request to a member of the pool; null if there is no pool. */
    private final @Nullable BiFunction<HttpRequest, String, HttpRequest> rewrite;

    private ThrottlingRequestInterceptor(
            SpringCalls calls, @Nullable BiFunction<HttpRequest, String, HttpRequest> rewrite) {
        this.calls = calls;
        this.rewrite = rewrite;
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
        return new ThrottlingRequestInterceptor(new SpringCalls(throttles, keys, options, tenants, classifier), null);
    }

    /**
     * {@return an interceptor that sends all requests to the members of a pool} The HTTP library should not follow
     * redirects to other origins, as it would send the credentials of a member there.
     *
     * @param throttles the registry that has the members
     * @param pool the pool
     * @param rewrite makes the request to the member whose key it gets, with its URL and credentials, such as an
     *     {@code HttpRequestWrapper}. It must be thread-safe, and is called for each attempt. If it throws, the caller
     *     of the request receives the exception
     */
    public static ThrottlingRequestInterceptor create(
            ThrottleRegistry throttles, Pool pool, BiFunction<HttpRequest, String, HttpRequest> rewrite) {
        Preconditions.required("pool", pool);
        return new ThrottlingRequestInterceptor(
                new SpringCalls(
                        throttles,
                        KeyResolver.origin(),
                        uri -> CallOptions.DEFAULT,
                        TenantResolver.none(),
                        BodyClassifier.standard(),
                        pool),
                Preconditions.required("rewrite", rewrite));
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
            return calls.loop().run(call, new BlockingRequest(() -> requestOf(call, request, body), body, execution));
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

    private HttpRequest requestOf(KeyedCall call, HttpRequest request, byte[] body) {
        if (rewrite == null) {
            return request;
        }
        HttpRequest toMember = Preconditions.required("request to a member", rewrite.apply(request, call.member()));
        calls.starter().sentAs(call, new SpringRequest(toMember, body));
        return toMember;
    }

    @Override
    public String toString() {
        return "ThrottlingRequestInterceptor[" + calls.throttles().name() + "]";
    }
}
