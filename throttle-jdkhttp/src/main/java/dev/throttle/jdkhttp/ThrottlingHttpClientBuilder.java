package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.CallLoop;
import dev.throttle.client.CallStarter;
import dev.throttle.client.Origin;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Cost;
import dev.throttle.time.TimeSource;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a {@link ThrottlingHttpClient}. A setter throws an {@link IllegalArgumentException} for a
 * value that it does not accept; the message names the setting, the value and what is accepted. It throws a
 * {@link NullPointerException} for null. Not thread-safe. A builder can be used for any number of clients.
 */
public final class ThrottlingHttpClientBuilder {

    private final HttpClient delegate;
    private @Nullable Throttle throttle;
    private @Nullable ThrottleRegistry throttles;
    private Supplier<ThrottleRegistry> byDefault = ThrottleRegistry::create;
    private Function<HttpRequest, @Nullable String> keyResolver = request -> Origin.of(request.uri());
    private Function<HttpRequest, CallOptions> options = request -> CallOptions.DEFAULT;
    private Function<HttpRequest, @Nullable String> tenantResolver = request -> null;
    private Function<HttpRequest, @Nullable Cost> costEstimator = request -> null;
    private BodyClassifier bodyClassifier = BodyClassifier.standard();
    private long drainBytes = 64 * 1024;
    private @Nullable Pool pool;
    private @Nullable BiFunction<HttpRequest, String, HttpRequest> rewrite;
    private Duration drainTime = Duration.ofSeconds(1);
    private @Nullable Executor executor;
    private boolean closeDelegate = true;
    private TimeSource time = TimeSource.system();

    ThrottlingHttpClientBuilder(HttpClient delegate) {
        this.delegate = delegate;
    }

    /**
     * Sets a single throttle for all requests. By default, and with {@link #throttles}, each key has its own.
     *
     * @param value the throttle
     * @return this builder
     */
    public ThrottlingHttpClientBuilder throttle(Throttle value) {
        this.throttle = Preconditions.required("throttle", value);
        return this;
    }

    /**
     * Sets the throttles of the keys. The default is {@link ThrottleRegistry#create()}.
     *
     * @param value the throttles, which other clients may share
     * @return this builder
     */
    public ThrottlingHttpClientBuilder throttles(ThrottleRegistry value) {
        this.throttles = Preconditions.required("throttles", value);
        return this;
    }

    /**
     * Sets what decides by which key a request is throttled, that is, what the server counts by. The default key is
     * scheme, host and port, such as {@code https://api.example.com:443}.
     *
     * @param value returns the key of a request, or null if the request is not throttled. With a single throttle it
     *     only matters whether the key is null. It must be thread-safe. If it throws, the caller of the request
     *     receives the exception
     * @return this builder
     */
    public ThrottlingHttpClientBuilder keyResolver(Function<HttpRequest, @Nullable String> value) {
        this.keyResolver = Preconditions.required("keyResolver", value);
        return this;
    }

    /**
     * Sets the options of all calls. The default is {@link CallOptions#DEFAULT}.
     *
     * @param value the options
     * @return this builder
     */
    public ThrottlingHttpClientBuilder options(CallOptions value) {
        Preconditions.required("options", value);
        this.options = request -> value;
        return this;
    }

    /**
     * Sets the options of each call by its request, instead of {@link #options(CallOptions)}. Options that are passed
     * with a request take precedence.
     *
     * <p>Without options, a request can be sent again if it has no body or a body of known length. A body of unknown
     * length may be a stream that is empty the second time, and the server could mistake that for the whole body. The
     * timeout of a request applies to each attempt, not to the waits.
     *
     * @param value returns the options of a request; null for {@link CallOptions#DEFAULT}. It must be thread-safe. If
     *     it throws, the caller of the request receives the exception
     * @return this builder
     */
    public ThrottlingHttpClientBuilder options(Function<HttpRequest, @Nullable CallOptions> value) {
        Preconditions.required("options", value);
        this.options = request -> {
            CallOptions own = value.apply(request);
            return own == null ? CallOptions.DEFAULT : own;
        };
        return this;
    }

    /**
     * Sets what recognizes refusals by their body. The default is {@link BodyClassifier#standard()}. If it asks for a
     * body, the client waits for its beginning, but no longer than {@link #drainLimits} says. The caller's handler
     * still receives the whole body.
     *
     * @param value the classifier; {@link BodyClassifier#none()} to read no body
     * @return this builder
     */
    public ThrottlingHttpClientBuilder bodyClassifier(BodyClassifier value) {
        this.bodyClassifier = Preconditions.required("bodyClassifier", value);
        return this;
    }

    /**
     * Sets on whose behalf a request is made, such as the id of a customer. Waiting calls of several tenants take
     * turns. It is asked for each request whose {@link CallOptions} name no tenant, on the thread that makes the call.
     * By default there are no tenants.
     *
     * @param value returns the tenant of a request; null or blank for none. It must be thread-safe and fast. If it
     *     throws, the caller of the request receives the exception
     * @return this builder
     */
    public ThrottlingHttpClientBuilder tenantResolver(Function<HttpRequest, @Nullable String> value) {
        this.tenantResolver = Preconditions.required("tenantResolver", value);
        return this;
    }

    /**
     * Sets what estimates the cost of a request in units that its {@link CallOptions} do not name. The default
     * estimates it, if a limit counts the unit, from a JSON body and from what similar requests have cost so far.
     *
     * @param value the estimator; null for the default. It must be thread-safe and fast, and is called once for each
     *     throttled call. If it throws, the caller of the request receives the exception
     * @return this builder
     */
    public ThrottlingHttpClientBuilder costEstimator(Function<HttpRequest, @Nullable Cost> value) {
        this.costEstimator = Preconditions.required("costEstimator", value);
        return this;
    }

    /**
     * Sets how much of the body of a refused response is read so that its connection can be used again. If the body is
     * longer or slower, the connection is lost. The duration also limits the wait for the beginning of a body that
     * {@link #bodyClassifier} asks for.
     *
     * @param bytes at least 0; 65,536 by default
     * @param duration above zero; one second by default
     * @return this builder
     */
    public ThrottlingHttpClientBuilder drainLimits(long bytes, Duration duration) {
        this.drainBytes = Preconditions.between("drainLimits bytes", bytes, 0, Long.MAX_VALUE);
        this.drainTime = Preconditions.positive("drainLimits duration", duration);
        return this;
    }

    /**
     * Sends all requests to the members of a pool. The function makes the request to a member: it sets the URL and the
     * credentials, for example with {@link HttpRequest#newBuilder(HttpRequest, java.util.function.BiPredicate)}. It is
     * called for each attempt.
     *
     * <p>The members are keys of the registry set with {@link #throttles}. The wrapped client must not follow
     * redirects, as the JDK's client would send the credentials of a member to the target, whatever its origin. The key
     * resolver decides only whether a request is throttled.
     *
     * @param value the pool
     * @param function makes the request to the member whose key it gets. It must be thread-safe. If it throws, the
     *     caller of the request receives the exception
     * @return this builder
     */
    public ThrottlingHttpClientBuilder pool(Pool value, BiFunction<HttpRequest, String, HttpRequest> function) {
        this.pool = Preconditions.required("pool", value);
        this.rewrite = Preconditions.required("function", function);
        return this;
    }

    /**
     * Sets the executor on which asynchronous calls continue after a wait and call the wrapped client. The default is
     * the executor of the wrapped client if it was given one, and otherwise daemon threads of this library, which
     * inherit nothing from the threads of callers. Dependent actions of a call do not run there.
     *
     * @param value the executor; a call fails if the executor rejects its task
     * @return this builder
     */
    public ThrottlingHttpClientBuilder executor(Executor value) {
        this.executor = Preconditions.required("executor", value);
        return this;
    }

    /**
     * Sets whether closing the client closes the wrapped client, where that can be closed; true by default.
     *
     * @param value false for a wrapped client that is also used elsewhere
     * @return this builder
     */
    public ThrottlingHttpClientBuilder closeDelegate(boolean value) {
        this.closeDelegate = value;
        return this;
    }

    /** Sets where the throttles come from if no setting names any. */
    ThrottlingHttpClientBuilder byDefault(Supplier<ThrottleRegistry> value) {
        this.byDefault = value;
        return this;
    }

    ThrottlingHttpClientBuilder time(TimeSource value) {
        this.time = Preconditions.required("time", value);
        return this;
    }

    /** {@return a client with these settings} */
    public ThrottlingHttpClient build() {
        Preconditions.check(
                throttle == null || throttles == null,
                "throttle",
                throttle + ", with throttles set too",
                "no throttles beside it");
        Preconditions.check(
                pool == null || throttles != null, "throttles", "not set", "the registry of the members of the pool");
        Preconditions.check(
                pool == null || delegate.followRedirects() == HttpClient.Redirect.NEVER,
                "followRedirects of the wrapped client",
                delegate.followRedirects(),
                "NEVER with a pool, so that no redirect takes the credentials of a member to another origin");
        return new ThrottlingHttpClient(this);
    }

    HttpClient delegate() {
        return delegate;
    }

    boolean closesDelegate() {
        return closeDelegate;
    }

    /** Makes what a client consists of. */
    ClientParts parts(Calls calls) {
        Executor clientExecutor = delegate.executor().orElse(null);
        Executor continuations = executor != null ? executor : clientExecutor;
        Executor afterWait = continuations == null ? CallbackPool.shared() : continuations;
        return new ClientParts(
                delegate,
                starter(),
                rewrite,
                options,
                throttle == null && delegate.followRedirects() != HttpClient.Redirect.NEVER,
                new CallLoop(bodyClassifier, new Faults("the body classifier of an HTTP client")),
                new BodyPolicy(drainBytes, drainTime, time, afterWait, clientExecutor),
                afterWait,
                calls);
    }

    private CallStarter<HttpRequest> starter() {
        JdkRequests requests = new JdkRequests();
        Throttle single = throttle;
        if (single != null) {
            return new CallStarter<>(single, key -> single, keyResolver, tenantResolver, costEstimator, requests);
        }
        ThrottleRegistry several = registry();
        return new CallStarter<>(several, several::get, keyResolver, tenantResolver, costEstimator, requests, pool);
    }

    /** {@return where the throttle of a key is found, unless there is a single one} */
    ThrottleRegistry registry() {
        return throttles == null ? byDefault.get() : throttles;
    }
}
