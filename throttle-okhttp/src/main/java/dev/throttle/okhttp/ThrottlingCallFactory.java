package dev.throttle.okhttp;

import dev.throttle.CallOptions;
import dev.throttle.Pool;
import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.Preconditions;
import dev.throttle.signal.BodyClassifier;
import dev.throttle.signal.Cost;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.Dispatcher;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Makes throttled OkHttp calls that wait without a thread. Use it wherever a {@link Call.Factory} is accepted:
 *
 * <pre>{@code
 * Call.Factory calls = ThrottlingCallFactory.create(client, ThrottleRegistry.create());
 * Retrofit retrofit = new Retrofit.Builder().baseUrl(url).callFactory(calls).build();
 * }</pre>
 *
 * <p>An enqueued call is parked until it has a permit and the dispatcher has a slot for it, so waiting calls do not
 * block others, and a call with a permit never waits in the dispatcher's queue. A refused request is sent again as a
 * separate call, which frees the connection while it waits. {@code execute} waits on the caller's thread.
 *
 * <p>The client is not changed, and must not be closed before the factory. Some features of the client work
 * differently. Its {@code callTimeout} covers each attempt but not the waits, which {@code maxWait} limits.
 * {@code dispatcher().cancelAll()} and the idle callback do not include parked calls; use {@link #cancelAll()} and
 * {@link #parkedCallsCount()}. {@code callStart} is reported for each attempt, when its wait is over. Web sockets are
 * not made through call factories; {@link ThrottlingInterceptor} covers them.
 *
 * <p>Use one factory for each dispatcher. Thread-safe.
 */
public final class ThrottlingCallFactory implements Call.Factory, Closeable {

    private final OkHttpClient user;
    private final OkHttpClient client;
    private final Config config;
    private final DispatcherLimiter slots;
    private final CallbackRunner deliveries;
    private final Set<ThrottlingCall> calls = ConcurrentHashMap.newKeySet();
    private final AtomicInteger parked = new AtomicInteger();
    private final AtomicLong numbers = new AtomicLong();
    private volatile boolean isClosed;

    ThrottlingCallFactory(OkHttpClient user, Config config) {
        this.user = Preconditions.required("client", user);
        this.config = config;
        ThrottlingInterceptor interceptor = new ThrottlingInterceptor(config);
        OkHttpClient.Builder builder = user.newBuilder();
        builder.interceptors().add(0, interceptor);
        builder.networkInterceptors().add(0, interceptor.observer());
        this.client = builder.build();
        this.slots = new DispatcherLimiter(client.dispatcher());
        this.deliveries = new CallbackRunner(client.dispatcher());
    }

    /**
     * {@return a call factory with the defaults}
     *
     * @param client makes the calls
     * @param throttles the throttles, one for each origin
     */
    public static ThrottlingCallFactory create(OkHttpClient client, ThrottleRegistry throttles) {
        return builder(client, throttles).build();
    }

    /**
     * {@return a builder with the defaults}
     *
     * @param client makes the calls
     * @param throttles the throttles, one for each key
     * @throws IllegalStateException if OkHttp is older than 4.9.0
     */
    public static Builder builder(OkHttpClient client, ThrottleRegistry throttles) {
        return new Builder(Preconditions.required("client", client), ThrottlingInterceptor.builder(throttles));
    }

    /** {@return a builder with the settings of this factory} */
    public Builder newBuilder() {
        Builder builder = builder(user, config.throttles());
        MemberRequests members = config.members();
        if (members != null) {
            builder.pool(members.pool(), members.rewrite());
        }
        return builder.keyResolver(config.keyResolver())
                .options(config.options())
                .bodyClassifier(config.bodyClassifier())
                .tenantResolver(config.tenantResolver())
                .costEstimator(config.costEstimator());
    }

    /**
     * {@return a new call, which waits for its permit when it is executed}
     *
     * @param request the request
     */
    @Override
    public Call newCall(Request request) {
        return new ThrottlingCall(this, client.newCall(request));
    }

    /** {@return the throttles that calls pass} */
    public ThrottleRegistry throttles() {
        return config.throttles();
    }

    /** {@return how many calls wait for their permit or for a slot of the dispatcher} */
    public int parkedCallsCount() {
        return parked.get();
    }

    /** Cancels all calls of this factory, parked or in flight, throttled or not. */
    public void cancelAll() {
        calls.forEach(ThrottlingCall::cancel);
    }

    /** Cancels all calls, including those that are made later. The client is not closed. */
    @Override
    public void close() {
        isClosed = true;
        cancelAll();
    }

    Config config() {
        return config;
    }

    DispatcherLimiter slots() {
        return slots;
    }

    CallbackRunner deliveries() {
        return deliveries;
    }

    Dispatcher dispatcher() {
        return client.dispatcher();
    }

    long nextNumber() {
        return numbers.getAndIncrement();
    }

    void parked(int change) {
        parked.addAndGet(change);
    }

    void began(ThrottlingCall call) {
        calls.add(call);
        if (isClosed) {
            call.cancel();
        }
    }

    void ended(ThrottlingCall call) {
        calls.remove(call);
    }

    /** Passes a call to OkHttp that is not throttled. It takes a slot of the dispatcher like any other. */
    void pass(ThrottlingCall call, Call delegate, Callback callback) {
        String host = call.request().url().host();
        AtomicBoolean isEnded = new AtomicBoolean();
        Runnable end = () -> {
            if (isEnded.compareAndSet(false, true)) {
                call.ended();
                slots.release(host);
            }
        };
        slots.occupy(host);
        try {
            delegate.enqueue(new Callback() {
                @Override
                public void onResponse(Call attempt, Response response) throws IOException {
                    try {
                        callback.onResponse(call, response);
                    } finally {
                        end.run();
                    }
                }

                @Override
                public void onFailure(Call attempt, IOException failure) {
                    try {
                        callback.onFailure(call, failure);
                    } finally {
                        end.run();
                    }
                }
            });
        } catch (Throwable e) { // an event listener's, or the executor's
            if (!isWithOkHttp(delegate)) {
                end.run();
            }
            throw e;
        }
    }

    boolean isWithOkHttp(Call attempt) {
        return dispatcher().queuedCalls().contains(attempt)
                || dispatcher().runningCalls().contains(attempt);
    }

    @Override
    public String toString() {
        return "ThrottlingCallFactory[" + config.throttles().name() + ", parked " + parkedCallsCount() + "]";
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {

        private final OkHttpClient client;
        private final ThrottlingInterceptor.Builder settings;

        private Builder(OkHttpClient client, ThrottlingInterceptor.Builder settings) {
            this.client = client;
            this.settings = settings;
        }

        /**
         * Sets what decides by which key a request is throttled. The default is {@link KeyResolver#origin()}.
         *
         * @param value the resolver
         * @return this builder
         */
        public Builder keyResolver(KeyResolver value) {
            settings.keyResolver(value);
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
            settings.options(value);
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
            settings.bodyClassifier(value);
            return this;
        }

        /**
         * Sets on whose behalf a request is made, such as the id of a customer. Waiting calls of several tenants take
         * turns. It is asked for each request whose {@link CallOptions} name no tenant. By default there are no
         * tenants.
         *
         * @param value returns the tenant of a request; null or blank for none. It must be thread-safe and fast. It
         *     runs on the thread that executes or enqueues the call. If it throws, the call fails with an
         *     {@link IOException} that has the exception as its cause
         * @return this builder
         */
        public Builder tenantResolver(Function<Request, @Nullable String> value) {
            settings.tenantResolver(value);
            return this;
        }

        /**
         * Sets what estimates the cost of a request in units that its {@link CallOptions} do not name. The default
         * estimates it, if a limit counts the unit, from a JSON body and from what similar requests have cost so far.
         *
         * @param value the estimator; null for the default. It must be thread-safe and fast, and is called once for
         *     each throttled call. If it throws, the call fails with an {@link java.io.IOException} that has the
         *     exception as its cause
         * @return this builder
         */
        public Builder costEstimator(Function<Request, @Nullable Cost> value) {
            settings.costEstimator(value);
            return this;
        }

        /**
         * Sends all requests to the members of a pool, as {@link ThrottlingInterceptor.Builder#pool} does.
         *
         * @param pool its members are keys of the registry of this builder
         * @param rewrite makes the request to the member whose key it gets: it sets the URL and the credentials. It
         *     must be thread-safe. If it throws, the call fails with an {@link java.io.IOException} that has the
         *     exception as its cause
         * @return this builder
         */
        public Builder pool(Pool pool, BiFunction<Request, String, Request> rewrite) {
            settings.pool(pool, rewrite);
            return this;
        }

        /** {@return the call factory} */
        public ThrottlingCallFactory build() {
            return settings.build().callFactory(client);
        }
    }
}
