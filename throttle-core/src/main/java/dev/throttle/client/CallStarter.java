package dev.throttle.client;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.engine.CallRoute;
import dev.throttle.internal.Misuse;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.Cost;
import dev.throttle.signal.usage.RequestEstimate;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Begins the calls of one HTTP client: finds the key of a request and its throttle, and what the request probably
 * costs. Thread-safe.
 *
 * <p>Clients lie above each other, such as Spring's above the JDK's, and each may have its door. The outer one leads: a
 * request that it is sending passes the doors below with the same throttles as if they were not there, so that it is
 * counted once and does not wait for itself. A door below knows the request by what the client carries from one to the
 * other, or else by the thread.
 *
 * @param <Q> a request of the HTTP client
 */
public final class CallStarter<Q> {

    /**
     * What the requests of an HTTP client tell. Thread-safe.
     *
     * @param <Q> a request of the HTTP client
     */
    public interface Requests<Q> {

        /**
         * {@return the method}
         *
         * @param request the request
         */
        String method(Q request);

        /**
         * {@return whether its body, if it has one, is the same when it is sent again}
         *
         * @param request the request
         * @param options what its caller says
         */
        boolean isReplayable(Q request, CallOptions options);

        /**
         * {@return its URL}
         *
         * @param request the request
         */
        URI uri(Q request);

        /**
         * {@return the path of its URL; null if it has none}
         *
         * @param request the request
         */
        @Nullable String path(Q request);

        /**
         * {@return the path with names in place of what differs from call to call, as the program has written it; null
         * if the client does not know}
         *
         * @param request the request
         */
        default @Nullable String template(Q request) {
            return null;
        }

        /**
         * Reads from the body of a request what it may cost.
         *
         * @param request a request that is replayable
         * @return what the body shows; null if it is no JSON, or cannot be had without sending it
         */
        @Nullable RequestEstimate estimate(Q request);
    }

    /** Those that RFC 9110 and its registry call idempotent and that clients send. */
    private static final Set<String> IDEMPOTENT =
            Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY", "PROPFIND", "REPORT");

    /** Of requests without options of their own: many of them may wait at a time, and share these. */
    private static final CallOptions[] USUAL = usual();

    private static final String TWO_SETS =
            "a request passes two sets of throttles with the same key, one in each of two"
                    + " clients: waits add up and retries multiply; give both the same ThrottleRegistry, or throttle in one only";

    private final Misuse misuse = new Misuse();
    private final Object owner;
    private final Function<String, Throttle> throttles;
    private final Function<Q, @Nullable String> keyResolver;
    private final Function<Q, @Nullable String> tenantResolver;
    private final Function<Q, @Nullable Cost> costEstimator;
    private final Requests<Q> requests;
    /** Null if the key of a request decides where it is throttled. */
    private final @Nullable Object pool;

    /**
     * For a client.
     *
     * @param owner the registry of the throttles, or the one throttle; another client with the same owner is a layer of
     *     the same throttling
     * @param throttles the throttle of a key
     * @param keyResolver the key of a request; null for a request that is not throttled
     * @param tenantResolver the tenant of a request whose options name none; null or blank for none
     * @param costEstimator the user's estimate of what a request costs; null for what its body shows
     * @param requests reads requests
     */
    public CallStarter(
            Object owner,
            Function<String, Throttle> throttles,
            Function<Q, @Nullable String> keyResolver,
            Function<Q, @Nullable String> tenantResolver,
            Function<Q, @Nullable Cost> costEstimator,
            Requests<Q> requests) {
        this(owner, throttles, keyResolver, tenantResolver, costEstimator, requests, null);
    }

    /**
     * For a client whose requests go to the members of a pool.
     *
     * @param owner the registry of the throttles
     * @param throttles the throttle of a key
     * @param keyResolver the key of a request; null for a request that is not throttled
     * @param tenantResolver the tenant of a request whose options name none; null or blank for none
     * @param costEstimator the user's estimate of what a request costs; null for what its body shows
     * @param requests reads requests
     * @param pool the {@code dev.throttle.Pool}; null if the key of a request decides where it is throttled
     * @throws IllegalArgumentException if the pool has members of another registry
     */
    public CallStarter(
            Object owner,
            Function<String, Throttle> throttles,
            Function<Q, @Nullable String> keyResolver,
            Function<Q, @Nullable String> tenantResolver,
            Function<Q, @Nullable Cost> costEstimator,
            Requests<Q> requests,
            @Nullable Object pool) {
        if (pool != null) {
            Preconditions.check(Calls.isPoolOf(pool, owner), "pool", pool, "a pool of the registry of this client");
        }
        this.pool = pool;
        this.owner = owner;
        this.throttles = throttles;
        this.keyResolver = keyResolver;
        this.tenantResolver = tenantResolver;
        this.costEstimator = costEstimator;
        this.requests = requests;
    }

    /**
     * {@return the key of a request; null if it is not throttled}
     *
     * @param request the request
     */
    public @Nullable String keyOf(Q request) {
        return keyResolver.apply(request);
    }

    /**
     * Begins a call, in the context of the calling thread.
     *
     * @param request its request
     * @param options what its caller wants
     * @return null if it is not throttled, or not here, because a client above leads
     * @throws RuntimeException what the user's functions throw; or if no throttle can ever let the call go
     */
    public @Nullable KeyedCall begin(Q request, CallOptions options) {
        return begin(request, options, null);
    }

    /**
     * Begins a call, as {@link #begin(Object, CallOptions)} does.
     *
     * @param request its request
     * @param options what its caller wants
     * @param carried the layer that is known to send this request; null to look for it on the thread
     * @return null if it is not throttled, or not here, because a client above leads
     * @throws RuntimeException what the user's functions throw; or if no throttle can ever let the call go
     */
    public @Nullable KeyedCall begin(Q request, CallOptions options, @Nullable Layer carried) {
        String key = options.isExempt() ? null : keyOf(request);
        if (key == null) {
            return null;
        }
        Layer above = carried == null ? layerAbove(request) : carried;
        if (above != null && above.passes(owner)) {
            return null;
        }
        CallOptions complete = complete(options, requests.method(request), requests.isReplayable(request, options));
        CallOptions ofTenant = ofTenant(request, complete);
        KeyedCall call =
                pool == null ? new KeyedCall(throttles, key, ofTenant) : new KeyedCall(throttles, pool, ofTenant);
        if (above != null && above.hasPassed(call.throttle())) { // a single throttle of a registry
            return null;
        } else if (above != null && above.hasKey(key)) {
            misuse.warn(TWO_SETS);
        }
        Sent sent = new Sent(request, call.throttle(), above);
        call.layer(sent);
        call.route(sent);
        estimate(call, request);
        call.captureContext();
        return call;
    }

    private CallOptions ofTenant(Q request, CallOptions options) {
        String tenant = options.tenant() == null ? tenantResolver.apply(request) : null;
        return tenant == null || tenant.isBlank() ? options : options.tenant(tenant);
    }

    /**
     * Tells what the attempt under way is sent as, where that is not the request that the call began with.
     *
     * @param call a call that this has begun
     * @param request the request as it goes to the member of a pool
     */
    @SuppressWarnings("unchecked") // a layer of this starter
    public void sentAs(KeyedCall call, Q request) {
        if (call.layer() instanceof CallStarter<?>.Sent layer) {
            ((Sent) layer).sent = request;
        }
    }

    /**
     * {@return the layer that this thread is sending, if it sends this request; null if there is none} Other requests
     * of the same thread, such as one for a token that an interceptor needs, are calls of their own.
     *
     * @param request the request
     */
    public @Nullable Layer layerAbove(Q request) {
        Layer sending = Layer.sending();
        boolean isSame = sending != null && sending.sends(requests.method(request), requests.uri(request));
        return isSame ? sending : null;
    }

    /** A request of this client. */
    private final class Sent extends Layer implements CallRoute {

        private final Q request;
        /** As the attempt under way is sent; the same unless a member of a pool has another URL. */
        private volatile Q sent;

        Sent(Q request, Throttle throttle, @Nullable Layer above) {
            super(owner, throttle, above);
            this.request = request;
            this.sent = request;
        }

        @Override
        boolean sends(String method, URI uri) {
            Q current = sent;
            return requests.method(current).equals(method) && isSame(requests.uri(current), uri);
        }

        @Override
        public int print() {
            return 31 * requests.method(request).hashCode()
                    + requests.uri(request).hashCode();
        }

        /** Limits of language models are kept per model, which the body names. */
        @Override
        public @Nullable String find(CallOptions options) {
            String path = requests.path(request);
            if (path == null) {
                return null;
            }
            String template = requests.template(request);
            String method = requests.method(request);
            String route = template == null ? RouteTemplate.of(method, path) : method + " " + template;
            boolean mayNameModel = RouteTemplate.isOfModel(path) && Boolean.TRUE.equals(options.replayable());
            RequestEstimate shown = mayNameModel ? requests.estimate(request) : null;
            return shown == null || shown.model() == null ? route : route + " " + shown.model();
        }
    }

    /** Clients write the same URL a little differently, and what lies between them may add to its query. */
    private static boolean isSame(URI above, URI below) {
        return above.equals(below)
                || (Origin.of(above).equals(Origin.of(below))
                        && pathOf(above).equals(pathOf(below))
                        && queryOf(below).containsAll(queryOf(above)));
    }

    private static String pathOf(URI uri) {
        String path = uri.normalize().getPath();
        return path == null || path.isEmpty() ? "/" : path;
    }

    private static List<String> queryOf(URI uri) {
        String query = uri.getQuery();
        return query == null ? List.of() : Arrays.asList(query.split("&"));
    }

    /**
     * Completes the options of a request by its method and body.
     *
     * @param options what the user wants. It goes before the method, but not before a body that cannot be sent twice
     * @param method its method
     * @param isBodyReplayable whether its body, if it has one, can be sent twice
     * @return the options, which say whether the request is idempotent and replayable
     */
    public static CallOptions complete(CallOptions options, String method, boolean isBodyReplayable) {
        boolean idempotent = options.idempotent() == null ? IDEMPOTENT.contains(method) : options.idempotent();
        boolean replayable = isBodyReplayable && !Boolean.FALSE.equals(options.replayable());
        return options.equals(CallOptions.DEFAULT)
                ? USUAL[index(idempotent, replayable)]
                : options.idempotent(idempotent).replayable(replayable);
    }

    private static CallOptions[] usual() {
        CallOptions[] all = new CallOptions[4];
        for (boolean idempotent : new boolean[] {false, true}) {
            for (boolean replayable : new boolean[] {false, true}) {
                all[index(idempotent, replayable)] =
                        CallOptions.DEFAULT.idempotent(idempotent).replayable(replayable);
            }
        }
        return all;
    }

    private static int index(boolean idempotent, boolean replayable) {
        return (idempotent ? 1 : 0) + (replayable ? 2 : 0);
    }

    /** Tells a call what its request probably costs: as the user has it, and as the body shows if that matters. */
    private void estimate(KeyedCall call, Q request) {
        Cost own = costEstimator.apply(request);
        if (own != null) {
            call.derive(own, null);
        }
        if (call.countsCosts()) {
            RequestEstimate shown =
                    Boolean.TRUE.equals(call.options().replayable()) ? requests.estimate(request) : null;
            String path = requests.path(request);
            call.derive(
                    shown == null ? null : shown.cost(),
                    shown == null || shown.model() == null ? path : path + " " + shown.model());
        }
    }
}
