package dev.throttle.jdkhttp;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.client.KeyedCall;
import dev.throttle.internal.Nanos;
import dev.throttle.internal.Preconditions;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * An {@link HttpClient} that throttles the requests of another one: it waits before a request is sent, learns from the
 * response, and retries requests that the server refused.
 *
 * <pre>{@code
 * HttpClient client = ThrottlingHttpClient.newHttpClient();
 * HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>Whether a response is a refusal is decided when its headers arrive, or the beginning of its body if a
 * {@link dev.throttle.signal.BodyClassifier} asks for it. The caller's body handler is called at most once, for the
 * response that the caller receives; the bodies of retried refusals are discarded. The request is passed on unchanged,
 * and the response is that of the wrapped client.
 *
 * <p>Requests without a key, exempt requests and web sockets are not throttled. The wrapped client follows redirects
 * and retries connections, so it may send more requests than the throttle allowed.
 *
 * <p>The methods {@link #shutdown()} to {@link #close()} are those of {@code HttpClient} since Java 21; here they also
 * exist on Java 17. Thread-safe.
 */
public final class ThrottlingHttpClient extends HttpClient implements AutoCloseable {

    private static final Duration LONG = Duration.ofDays(1);

    private final HttpClient delegate;
    private final ClientParts parts;
    private final Calls calls;
    private final boolean closesDelegate;

    ThrottlingHttpClient(ThrottlingHttpClientBuilder builder) {
        this.delegate = builder.delegate();
        this.closesDelegate = builder.closesDelegate();
        this.calls = new Calls(closesDelegate ? () -> JdkLifecycle.shutdown(delegate) : () -> {});
        this.parts = builder.parts(calls);
    }

    /**
     * Makes a builder of a client. Without further settings it has a throttle for each scheme, host and port, with the
     * default strategy.
     *
     * @param delegate sends the requests; closed with the client
     * @return a builder with the defaults
     */
    public static ThrottlingHttpClientBuilder newBuilder(HttpClient delegate) {
        return new ThrottlingHttpClientBuilder(Preconditions.required("delegate", delegate));
    }

    /** {@return a client with the defaults, around a JDK client with its defaults} */
    public static ThrottlingHttpClient newHttpClient() {
        return newBuilder(HttpClient.newHttpClient()).build();
    }

    /**
     * {@return a builder of throttling clients with the defaults, for code that expects the JDK's builder} See
     * {@link #newBuilder(HttpClient.Builder, Consumer)}.
     */
    public static HttpClient.Builder newBuilder() {
        return newBuilder(HttpClient.newBuilder(), settings -> {});
    }

    /**
     * Makes a builder of throttling clients from another builder: each client that it builds is a
     * {@link ThrottlingHttpClient} around a client of the given builder. Everything else is left to that builder,
     * including defaults, exceptions and the methods of newer JDKs. If the settings name no throttle, all clients of
     * the builder share their throttles.
     *
     * @param jdk builds the clients that send; do not use it directly afterwards
     * @param settings sets the throttling of a client; called for each client by {@code build}, which throws what it
     *     throws
     * @return the builder, as thread-safe as the given one
     */
    public static HttpClient.Builder newBuilder(
            HttpClient.Builder jdk, Consumer<? super ThrottlingHttpClientBuilder> settings) {
        return ClientBuilderHandler.around(
                Preconditions.required("jdk", jdk), Preconditions.required("settings", settings));
    }

    /**
     * Sends a request when its throttle allows it, and retries it if it is refused. The calling thread waits.
     *
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws IOException as the wrapped client does, or if this client is shut down
     * @throws InterruptedException if the thread is or gets interrupted, whether it waits or sends
     */
    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        check(request, handler);
        return sendWith(null, request, handler);
    }

    /**
     * Sends a request as {@link #send(HttpRequest, BodyHandler)} does, with its own options.
     *
     * @param request the request
     * @param options the options of the call, instead of those of the client
     * @param handler makes the body of the response that the caller receives
     * @param <T> the type of the body
     * @return the response
     * @throws ThrottleRejectedException if the wait would be too long
     * @throws IOException as the wrapped client does, or if this client is shut down
     * @throws InterruptedException if the thread is or gets interrupted, whether it waits or sends
     */
    public <T> HttpResponse<T> send(HttpRequest request, CallOptions options, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        check(request, handler);
        return sendWith(Objects.requireNonNull(options, "options"), request, handler);
    }

    private <T> HttpResponse<T> sendWith(@Nullable CallOptions options, HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        KeyedCall call = parts.newCall(request, options);
        return call == null
                ? BlockingCall.exempt(parts, request, handler)
                : new BlockingCall<>(parts, call, request, handler).run();
    }

    /**
     * Sends a request when its throttle allows it, and retries it if it is refused. No thread waits.
     *
     * @return a future that completes with the response, or with what {@link #send} throws. Cancelling it with
     *     {@code true}, or a future that depends on it, ends the wait or cancels the request in flight
     */
    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        return begin(null, request, handler, HttpClient::sendAsync);
    }

    /**
     * Sends a request as {@link #sendAsync(HttpRequest, BodyHandler)} does, with options of its own.
     *
     * @param request the request
     * @param options the options of the call, instead of those of the client
     * @param handler makes the body of the response that the caller receives
     * @param <T> the type of the body
     * @return completes with the response, or with what {@link #send} throws
     */
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, CallOptions options, BodyHandler<T> handler) {
        return begin(Objects.requireNonNull(options, "options"), request, handler, HttpClient::sendAsync);
    }

    /**
     * Sends a request as {@link #sendAsync(HttpRequest, BodyHandler)} does.
     *
     * @param pushes is passed on unchanged; an attempt that is repeated may have its resources pushed again
     */
    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
        return begin(null, request, handler, (client, sent, gate) -> client.sendAsync(sent, gate, pushes));
    }

    private <T> CompletableFuture<HttpResponse<T>> begin(
            @Nullable CallOptions options, HttpRequest request, BodyHandler<T> handler, AsyncCall.Sender<T> sender) {
        check(request, handler);
        KeyedCall call = parts.newCall(request, options);
        return call == null
                ? new ExemptCall<T>(calls).start(() -> sender.send(delegate, request, handler))
                : new AsyncCall<>(parts, call, request, handler, sender).start();
    }

    private static void check(HttpRequest request, BodyHandler<?> handler) {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(handler, "responseBodyHandler");
        Objects.requireNonNull(request.uri(), "uri must be non null");
    }

    /**
     * Takes no more requests, and returns at once. Those under way, waiting ones included, run to completion, and then
     * the wrapped client is shut down.
     */
    public void shutdown() {
        calls.shutDown();
    }

    /** Takes no more requests, ends those under way with an {@link IOException}, and does not wait for it. */
    public void shutdownNow() {
        calls.abort();
        if (closesDelegate) {
            JdkLifecycle.shutdownNow(delegate);
        }
    }

    /**
     * Waits for the end after a shutdown.
     *
     * @param duration how long at most, for this client and the wrapped one together
     * @return whether all requests are completed and the wrapped client has ended
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean awaitTermination(Duration duration) throws InterruptedException {
        long allowed = Nanos.of(duration);
        long begin = parts.bodies().time().nanoTime();
        if (!calls.awaitDrained(allowed)) {
            return false;
        }
        long left = Math.max(0, allowed - (parts.bodies().time().nanoTime() - begin));
        return !closesDelegate || JdkLifecycle.awaitTermination(delegate, Duration.ofNanos(left));
    }

    /** {@return whether it is shut down, all requests are completed, and the wrapped client has ended} */
    public boolean isTerminated() {
        return calls.isDrained() && (!closesDelegate || JdkLifecycle.isTerminated(delegate));
    }

    /**
     * Shuts down and waits for the end. Interrupted meanwhile, it ends the requests under way, and leaves the thread
     * interrupted. On Java 17 the wrapped client itself cannot be ended; it ends when it is no longer reachable.
     */
    @Override
    public void close() {
        shutdown();
        boolean interrupted = false;
        boolean terminated = false;
        while (!terminated) {
            try {
                terminated = awaitTermination(LONG);
            } catch (InterruptedException e) {
                if (!interrupted) {
                    interrupted = true;
                    shutdownNow();
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@return how many calls are under way, waiting ones included} */
    int pending() {
        return calls.pending();
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return delegate.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return delegate.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return delegate.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return delegate.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return delegate.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return delegate.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return delegate.authenticator();
    }

    @Override
    public Version version() {
        return delegate.version();
    }

    @Override
    public Optional<Executor> executor() {
        return delegate.executor();
    }

    /** {@return the wrapped client's builder: web sockets are not throttled} */
    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return delegate.newWebSocketBuilder();
    }

    @Override
    public String toString() {
        return "ThrottlingHttpClient[" + delegate + "]";
    }
}
