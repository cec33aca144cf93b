package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.internal.Faults;
import dev.throttle.internal.Misuse;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Cost;
import dev.throttle.time.TimeSource;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a {@link ThrottlingHttpClient}. Every setter refuses what it does not accept with an
 * {@link IllegalArgumentException} that names the setting, the value and what it accepts, and null with a
 * {@link NullPointerException}. Not thread-safe; may be used for any number of clients.
 */
public final class ThrottlingHttpClientBuilder {

    private final HttpClient delegate;
    private @Nullable Throttle throttle;
    private @Nullable ThrottleRegistry throttles;
    private Supplier<ThrottleRegistry> byDefault = ThrottleRegistry::create;
    private Function<HttpRequest, @Nullable String> keyResolver = request -> Origin.of(request.uri());
    private Function<HttpRequest, CallOptions> options = request -> CallOptions.DEFAULT;
    private Function<HttpRequest, @Nullable Cost> costEstimator = request -> null;
    private BodyClassifier bodyClassifier = BodyClassifier.standard();
    private long drainBytes = 64 * 1024;
    private Duration drainTime = Duration.ofSeconds(1);
    private @Nullable Executor executor;
    private boolean closeDelegate = true;
    private TimeSource time = TimeSource.system();

    ThrottlingHttpClientBuilder(HttpClient delegate) {
        this.delegate = delegate;
    }

    /**
     * Sets the one throttle of all requests. By default, and with {@link #throttles}, there is one for each key.
     *
     * @param value the throttle
     * @return this builder
     */
    public ThrottlingHttpClientBuilder throttle(Throttle value) {
        this.throttle = Preconditions.required("throttle", value);
        return this;
    }

    /**
     * Sets the throttles of the keys; those with the defaults of {@link ThrottleRegistry#create()} by default.
     *
     * @param value the throttles, which other clients may share
     * @return this builder
     */
    public ThrottlingHttpClientBuilder throttles(ThrottleRegistry value) {
        this.throttles = Preconditions.required("throttles", value);
        return this;
    }

    /**
     * Sets what the server counts requests by. By default it is scheme, host and port, as in
     * {@code https://api.example.com:443}.
     *
     * @param value the key of a request; null for a request that is not to be throttled. With a single throttle it only
     *     matters whether the key is null. Thread-safe; what it throws, the caller of the request gets thrown
     * @return this builder
     */
    public ThrottlingHttpClientBuilder keyResolver(Function<HttpRequest, @Nullable String> value) {
        this.keyResolver = Preconditions.required("keyResolver", value);
        return this;
    }

    /**
     * Sets what all calls want of their throttle; {@link CallOptions#DEFAULT} by default.
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
     * Sets what the call of each request wants of its throttle, in place of {@link #options(CallOptions)}. Options that
     * are passed with a request go before these.
     *
     * <p>Without options, a request can be sent again if it has no body or one of known length: a body of unknown
     * length may be a stream that is empty the second time, which the server would take for the whole. A request's own
     * time-out bounds each attempt, and no wait.
     *
     * @param value the options of a request; null for {@link CallOptions#DEFAULT}. Thread-safe; what it throws, the
     *     caller of the request gets thrown
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
     * Sets what recognizes refusals that only the body of a response tells; {@link BodyClassifier#standard()} by
     * default. Where it asks for a body, the beginning is awaited before it is decided what becomes of the response,
     * but no longer than {@link #drainLimits} says. The caller's handler gets the whole body nevertheless.
     *
     * @param value the classifier; {@link BodyClassifier#none()} to look at no body
     * @return this builder
     */
    public ThrottlingHttpClientBuilder bodyClassifier(BodyClassifier value) {
        this.bodyClassifier = Preconditions.required("bodyClassifier", value);
        return this;
    }

    /**
     * Sets what a request probably costs, where its {@link CallOptions} say nothing of a unit. By default that shows
     * from a body of JSON, where it matters at all, and from what such requests have cost so far.
     *
     * @param value the estimate of a request; null for the default. Thread-safe and fast; it is asked once for each
     *     throttled call, and what it throws, the caller of the request gets thrown
     * @return this builder
     */
    public ThrottlingHttpClientBuilder costEstimator(Function<HttpRequest, @Nullable Cost> value) {
        this.costEstimator = Preconditions.required("costEstimator", value);
        return this;
    }

    /**
     * Sets how much of the body of a refused response is read so that its connection can be used again. What is longer
     * or slower costs the connection. The time also bounds how long the beginning of a body is awaited that
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
     * Sets where asynchronous calls go on after a wait: the wrapped client is asked on this executor's threads. By
     * default it is the wrapped client's executor if it has been given one, and otherwise daemon threads of this
     * library's, which inherit nothing from the threads of callers. What depends on a call does not run there.
     *
     * @param value the executor. A call that it does not accept fails
     * @return this builder
     */
    public ThrottlingHttpClientBuilder executor(Executor value) {
        this.executor = Preconditions.required("executor", value);
        return this;
    }

    /**
     * Sets whether closing the client closes the wrapped client, where that can be closed; true by default.
     *
     * @param value false for a wrapped client that others use too
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
        if (delegate instanceof ThrottlingHttpClient) {
            new Misuse()
                    .warn("a ThrottlingHttpClient wraps another one: waits add up and retries multiply; wrap the client"
                            + " that sends");
        }
        return new ThrottlingHttpClient(this);
    }

    HttpClient delegate() {
        return delegate;
    }

    boolean closesDelegate() {
        return closeDelegate;
    }

    Routes routes() {
        Throttle single = throttle;
        Function<String, Throttle> byKey = single == null ? registry()::get : key -> single;
        boolean mayLeadAway = single == null && delegate.followRedirects() != HttpClient.Redirect.NEVER;
        return new Routes(byKey, mayLeadAway, keyResolver, options, costEstimator, new Detours());
    }

    private ThrottleRegistry registry() {
        return throttles == null ? byDefault.get() : throttles;
    }

    Executor continuationExecutor() {
        return executor == null ? delegate.executor().orElseGet(SendingThreads::shared) : executor;
    }

    BodyPolicy bodies() {
        return new BodyPolicy(
                drainBytes,
                drainTime,
                time,
                continuationExecutor(),
                delegate.executor().orElse(null),
                bodyClassifier,
                new Faults("the body classifier of an HTTP client"));
    }
}
