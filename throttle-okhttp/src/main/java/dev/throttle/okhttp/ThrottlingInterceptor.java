package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.CallContext;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Cost;
import java.io.IOException;
import java.util.function.BiFunction;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Throttles the calls of an {@link okhttp3.OkHttpClient}: it waits before a request is sent, learns from the response,
 * and retries requests that the server refused. Install it as the first application interceptor, and its
 * {@linkplain #observer() observer} as a network interceptor:
 *
 * <pre>{@code
 * ThrottlingInterceptor throttling = ThrottlingInterceptor.create(ThrottleRegistry.create());
 * OkHttpClient client = new OkHttpClient.Builder()
 *         .addInterceptor(throttling)
 *         .addNetworkInterceptor(throttling.observer())
 *         .build();
 * }</pre>
 *
 * <p>It covers {@code execute}, {@code enqueue} and the handshake of web sockets. A wait ends at once when the call is
 * canceled or times out, or when its thread is interrupted. The call's own thread waits. For {@code enqueue} this is a
 * thread of the dispatcher: five waiting calls to a host block a sixth one, even if that need not wait.
 * {@link ThrottlingCallFactory} does not have this limitation.
 *
 * <p>A call fails with a {@link dev.throttle.ThrottleRejectedException}, an {@link IOException}, if its wait would be
 * too long. If a refused request is not retried, the caller receives the response unchanged and unread. Thread-safe.
 */
public final class ThrottlingInterceptor implements Interceptor {

    private static final String TWICE = "a ThrottlingInterceptor with the same ThrottleRegistry has been added to an"
            + " OkHttpClient twice: the second one has no effect; remove one of them";

    private final Config config;
    private final NetworkObserver observer;

    ThrottlingInterceptor(Config config) {
        this.config = config;
        this.observer = new NetworkObserver(config);
    }

    /**
     * {@return an interceptor with the defaults}
     *
     * @param throttles the throttles, one for each origin
     */
    public static ThrottlingInterceptor create(ThrottleRegistry throttles) {
        return builder(throttles).build();
    }

    /**
     * {@return a builder with the defaults}
     *
     * @param throttles the throttles, one for each key
     * @throws IllegalStateException if OkHttp is older than 4.9.0
     */
    public static Builder builder(ThrottleRegistry throttles) {
        return new Builder(Preconditions.required("throttles", throttles));
    }

    /** {@return a builder with the settings of this interceptor} */
    public Builder newBuilder() {
        Builder builder = new Builder(config.throttles());
        builder.members = config.members();
        return builder.keyResolver(config.keyResolver())
                .options(config.options())
                .bodyClassifier(config.bodyClassifier())
                .tenantResolver(config.tenantResolver())
                .costEstimator(config.costEstimator());
    }

    /** {@return the throttles that calls pass} */
    public ThrottleRegistry throttles() {
        return config.throttles();
    }

    /**
     * {@return the network interceptor that belongs to this one} It never waits. With it, the requests that OkHttp
     * makes by itself are counted when they are sent, and an extremely long {@code Retry-After} cannot make OkHttp
     * throw a {@link NumberFormatException}. Without it, these requests are counted afterwards, and failed ones are not
     * counted.
     */
    public Interceptor observer() {
        return observer;
    }

    /**
     * {@return an interceptor with the settings of this one, for clients that have no place for its observer} Some
     * libraries build their {@link OkHttpClient} themselves and take application interceptors only. Nothing is logged
     * about the missing observer. What that means is said at {@link #observer()}.
     */
    public ThrottlingInterceptor withoutObserver() {
        return new ThrottlingInterceptor(config.withoutObserver());
    }

    /**
     * {@return a call factory with the settings of this interceptor}
     *
     * @param client makes the calls; it may have this interceptor, but does not need it
     */
    public ThrottlingCallFactory callFactory(OkHttpClient client) {
        return new ThrottlingCallFactory(client, config);
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (chain.connection() != null) {
            throw misplaced(
                    config,
                    "ThrottlingInterceptor is an application interceptor: add it with addInterceptor, and its"
                            + " observer() with addNetworkInterceptor");
        }
        Call call = chain.call();
        CallTag tag = CallTag.of(call);
        OkHttpCall known = tag.find(config.throttles());
        if (known instanceof ParkedCall parked && parked.claim()) {
            return CallContext.<Response, IOException, RuntimeException>call(
                    parked.keyed().context(), () -> parked.pass(chain, tag));
        }
        if (known instanceof InterceptedCall) {
            config.misuse().warn(TWICE);
        }
        KeyedCall keyed = known == null ? config.begin(chain.request(), tag.layer()) : null;
        if (keyed == null) {
            return chain.proceed(chain.request());
        }
        OkHttpClient client = OkHttpVersion.clientOf(call);
        if (client != null) { // if not, the first response tells
            config.checkObserver(client);
        }
        InterceptedCall intercepted = new InterceptedCall(config, keyed, chain, tag);
        tag.add(intercepted);
        try {
            return config.loop().run(keyed, intercepted);
        } catch (InterruptedException e) {
            throw OkHttpCall.<RuntimeException>rethrown(e);
        } finally {
            tag.remove(intercepted);
        }
    }

    /** {@return what to fail a call with that passes an interceptor in the wrong place} */
    static IOException misplaced(Config config, String message) {
        config.misuse().warn(message);
        return new IOException(message, new IllegalStateException(message));
    }

    @Override
    public String toString() {
        return "ThrottlingInterceptor[" + config.throttles().name() + "]";
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {

        private final ThrottleRegistry throttles;
        private KeyResolver keyResolver = KeyResolver.origin();
        private CallOptions options = CallOptions.DEFAULT;
        private BodyClassifier bodyClassifier = BodyClassifier.standard();
        private Function<Request, @Nullable String> tenantResolver = request -> null;
        private Function<Request, @Nullable Cost> costEstimator = request -> null;
        private @Nullable MemberRequests members;

        private Builder(ThrottleRegistry throttles) {
            OkHttpVersion.check();
            this.throttles = throttles;
        }

        /**
         * Sets what decides by which key a request is throttled. The default is {@link KeyResolver#origin()}.
         *
         * @param value the resolver
         * @return this builder
         */
        public Builder keyResolver(KeyResolver value) {
            this.keyResolver = Preconditions.required("keyResolver", value);
            return this;
        }

        /**
         * Sets the options of requests without a tag of type {@link CallOptions}. The default is
         * {@link CallOptions#DEFAULT}.
         *
         * @param value the options
         * @return this builder
         */
        public Builder options(CallOptions value) {
            this.options = Preconditions.required("options", value);
            return this;
        }

        /**
         * Sets what recognizes refusals by their body. The default is {@link BodyClassifier#standard()}. The caller
         * still receives the whole body.
         *
         * @param value the classifier
         * @return this builder
         */
        public Builder bodyClassifier(BodyClassifier value) {
            this.bodyClassifier = Preconditions.required("bodyClassifier", value);
            return this;
        }

        /**
         * Sets on whose behalf a request is made, such as the id of a customer. Waiting calls of several tenants take
         * turns. It is asked for each request whose {@link CallOptions} name no tenant. By default there are no
         * tenants.
         *
         * @param value returns the tenant of a request; null or blank for none. It must be thread-safe and fast. It
         *     runs on the thread that makes the call. With an interceptor and {@code enqueue} that is a thread of the
         *     dispatcher. If it throws, the call fails with an {@link IOException} that has the exception as its cause
         * @return this builder
         */
        public Builder tenantResolver(Function<Request, @Nullable String> value) {
            this.tenantResolver = Preconditions.required("tenantResolver", value);
            return this;
        }

        /**
         * Sets what estimates the cost of a request in units that its {@link CallOptions} do not name. The default
         * estimates it, if a limit counts the unit, from a JSON body and from what similar requests have cost so far.
         *
         * @param value the estimator; null for the default. It must be thread-safe and fast, and is called once for
         *     each throttled call. If it throws, the call fails with an {@link IOException} that has the exception as
         *     its cause
         * @return this builder
         */
        public Builder costEstimator(Function<Request, @Nullable Cost> value) {
            this.costEstimator = Preconditions.required("costEstimator", value);
            return this;
        }

        /**
         * Sends all requests to the members of a pool. The function makes the request to a member: it sets the URL and
         * the credentials. It is called for each attempt.
         *
         * <p>The {@linkplain ThrottlingInterceptor#observer() observer} is needed. Where a redirect leads to another
         * origin, it takes off all headers that the function has set. The key resolver decides only whether a request
         * is throttled, and what the targets of redirects are.
         *
         * @param pool its members are keys of the registry of this builder
         * @param rewrite makes the request to the member whose key it gets. It must be thread-safe. If it throws, the
         *     call fails with an {@link IOException} that has the exception as its cause
         * @return this builder
         */
        public Builder pool(Pool pool, BiFunction<Request, String, Request> rewrite) {
            this.members = new MemberRequests(
                    Preconditions.required("pool", pool), Preconditions.required("rewrite", rewrite));
            return this;
        }

        /** {@return the interceptor} */
        public ThrottlingInterceptor build() {
            Faults faults = new Faults("the body classifier of an OkHttp call");
            return new ThrottlingInterceptor(new Config(
                    throttles, keyResolver, options, bodyClassifier, tenantResolver, costEstimator, members, faults));
        }
    }
}
