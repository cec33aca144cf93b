package dev.throttle.spring;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.CallLoop;
import dev.throttle.client.CallStarter;
import dev.throttle.client.KeyedCall;
import dev.throttle.client.Layer;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;

/**
 * What the blocking and the reactive door share.
 *
 * @param throttles the throttle of a key
 * @param starter begins the calls
 * @param options what a request wants that has no options of its own
 * @param loop runs the calls
 */
record SpringCalls(
        ThrottleRegistry throttles,
        CallStarter<SpringRequest> starter,
        Function<URI, CallOptions> options,
        CallLoop loop) {

    /** The attribute of the layer that is sending a request, for further doors of the same client. */
    static final String LAYER = SpringCalls.class.getName();

    SpringCalls(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            TenantResolver tenants,
            BodyClassifier classifier) {
        this(throttles, keys, options, tenants, classifier, null);
    }

    /** The calls go to the members of a pool, if there is one. */
    SpringCalls(
            ThrottleRegistry throttles,
            KeyResolver keys,
            Function<URI, CallOptions> options,
            TenantResolver tenants,
            BodyClassifier classifier,
            @Nullable Pool pool) {
        this(
                Preconditions.required("throttles", throttles),
                starter(
                        throttles,
                        Preconditions.required("keys", keys),
                        Preconditions.required("tenants", tenants),
                        pool),
                Preconditions.required("options", options),
                new CallLoop(
                        Preconditions.required("classifier", classifier),
                        new Faults("the body classifier of a Spring client")));
    }

    /**
     * Begins a call.
     *
     * @param body the whole body of the request; null if it is not known
     * @return null if the request is not throttled, or not here
     * @throws RuntimeException if its key cannot be told, or no throttle can ever let it go
     */
    @Nullable KeyedCall begin(HttpRequest request, byte @Nullable [] body) {
        Layer above = request.getAttributes().get(LAYER) instanceof Layer layer ? layer : null;
        return starter.begin(new SpringRequest(request, body), optionsOf(request), above);
    }

    /** {@return the layer of a call that was begun here} */
    static Layer layerOf(KeyedCall call) {
        return Objects.requireNonNull(call.layer());
    }

    private static CallStarter<SpringRequest> starter(
            ThrottleRegistry throttles, KeyResolver keys, TenantResolver tenants, @Nullable Pool pool) {
        return new CallStarter<>(
                throttles,
                throttles::get,
                asked -> keys.keyOf(asked.request()),
                asked -> tenants.tenantOf(asked.request()),
                asked -> null,
                new SpringRequest.Reader(),
                pool);
    }

    private CallOptions optionsOf(HttpRequest request) {
        Map<String, Object> attributes = request.getAttributes();
        Object own = attributes.get(ThrottleAttributes.OPTIONS);
        if (own == null) {
            return options.apply(request.getURI());
        }
        Preconditions.check(
                own instanceof CallOptions, "request attribute " + ThrottleAttributes.OPTIONS, own, "a CallOptions");
        return (CallOptions) own;
    }
}
