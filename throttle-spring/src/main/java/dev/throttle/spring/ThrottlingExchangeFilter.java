package dev.throttle.spring;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import java.net.URI;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * Throttles the requests of a {@code WebClient} with any HTTP library: it waits before a request is sent, learns from
 * the response, and retries requests that the server refused. It must be the first filter; the filters behind it run
 * for each attempt. The starter adds it to every client that is made with Spring Boot's builder. For other clients:
 *
 * <pre>{@code
 * WebClient client = WebClient.builder()
 *         .filter(ThrottlingExchangeFilter.create(ThrottleRegistry.create()))
 *         .build();
 * }</pre>
 *
 * <p>A wait uses no thread, and a cancelled request gives up its place at once. After a wait the exchange continues
 * with the caller's Reactor context, on a thread of the throttle's executor. If the wait would be too long, it fails
 * with a {@code WebClientRequestException} whose cause is a {@link dev.throttle.ThrottleRejectedException}. Bodies are
 * written once for each attempt, as with Reactor's {@code retry}; a body that can be written only once needs
 * {@link dev.throttle.CallOptions#replayable CallOptions.replayable(false)}. The body of a refused response is released
 * before the request is retried. A request that passes two filters with the same registry is throttled by the first.
 * Thread-safe.
 */
public final class ThrottlingExchangeFilter implements ExchangeFilterFunction {

    private final SpringCalls calls;
    /** Makes the request to a member of the pool; null if there is no pool. */
    private final @Nullable BiFunction<ClientRequest, String, ClientRequest> rewrite;

    private ThrottlingExchangeFilter(
            SpringCalls calls, @Nullable BiFunction<ClientRequest, String, ClientRequest> rewrite) {
        this.calls = calls;
        this.rewrite = rewrite;
    }

    /**
     * {@return a filter with the defaults}
     *
     * @param throttles the throttles, one for each origin
     */
    public static ThrottlingExchangeFilter create(ThrottleRegistry throttles) {
        return create(throttles, KeyResolver.origin(), uri -> CallOptions.DEFAULT, BodyClassifier.standard());
    }

    /**
     * {@return a filter with settings of its own}
     *
     * @param throttles the throttle of each key
     * @param keys decides by which key a request is throttled
     * @param options the options of a request to a URL, unless it has options of its own
     *     ({@link ThrottleAttributes#options})
     * @param classifier recognizes refusals by their bodies
     */
    public static ThrottlingExchangeFilter create(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            BodyClassifier classifier) {
        return create(throttles, keys, options, TenantResolver.none(), classifier);
    }

    /**
     * {@return a filter with settings of its own, for calls of several tenants}
     *
     * @param throttles the throttle of each key
     * @param keys decides by which key a request is throttled
     * @param options the options of a request to a URL, unless it has options of its own
     *     ({@link ThrottleAttributes#options})
     * @param tenants decides on whose behalf a request is made, unless its options tell
     * @param classifier recognizes refusals by their bodies
     */
    public static ThrottlingExchangeFilter create(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            TenantResolver tenants,
            BodyClassifier classifier) {
        return new ThrottlingExchangeFilter(new SpringCalls(throttles, keys, options, tenants, classifier), null);
    }

    /**
     * {@return a filter that sends all requests to the members of a pool} The HTTP library should not follow redirects
     * to other origins, as it would send the credentials of a member there.
     *
     * @param throttles the registry that has the members
     * @param pool the pool
     * @param rewrite makes the request to the member whose key it gets, with its URL and credentials, for example with
     *     {@link ClientRequest#from}. It must be thread-safe, and is called for each attempt. If it throws, the
     *     exchange fails with the exception
     */
    public static ThrottlingExchangeFilter create(
            ThrottleRegistry throttles, Pool pool, BiFunction<ClientRequest, String, ClientRequest> rewrite) {
        Preconditions.required("pool", pool);
        return new ThrottlingExchangeFilter(
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
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return new Mono<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ClientResponse> target) {
                KeyedCall call;
                try {
                    call = calls.begin(new RequestView(request), null);
                } catch (RuntimeException e) {
                    Operators.error(target, e); // the caller's mistake is the caller's exception
                    return;
                }
                if (call == null) {
                    next.exchange(request).subscribe(target);
                    return;
                }
                ClientRequest marked = ClientRequest.from(request)
                        .attribute(SpringCalls.LAYER, SpringCalls.layerOf(call))
                        .build();
                target.onSubscribe(
                        new ThrottledExchange(calls, call, marked, () -> requestOf(call, marked), next, target));
            }
        };
    }

    private ClientRequest requestOf(KeyedCall call, ClientRequest request) {
        if (rewrite == null) {
            return request;
        }
        ClientRequest toMember = Preconditions.required("request to a member", rewrite.apply(request, call.member()));
        calls.starter().sentAs(call, new SpringRequest(new RequestView(toMember), null));
        return toMember;
    }

    @Override
    public String toString() {
        return "ThrottlingExchangeFilter[" + calls.throttles().name() + "]";
    }
}
