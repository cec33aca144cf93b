package dev.throttle.reality.load;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

/** The JDK's client, which records what it sends. */
final class WireHttpClient extends HttpClient {

    private final HttpClient delegate = HttpClient.newHttpClient();
    private final Wire wire;

    WireHttpClient(Wire wire) {
        this.wire = wire;
    }

    /** One request. Its head or its failure is recorded, whichever comes first. */
    private final class Sent {

        private final long sentAt = System.nanoTime();
        private final AtomicBoolean recorded = new AtomicBoolean();

        void record(int status) {
            if (recorded.compareAndSet(false, true)) {
                wire.ended(sentAt, status);
            }
        }

        <T> BodyHandler<T> watching(BodyHandler<T> handler) {
            return head -> {
                record(head.statusCode());
                return handler.apply(head);
            };
        }
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
            throws IOException, InterruptedException {
        Sent sent = new Sent();
        try {
            return delegate.send(request, sent.watching(handler));
        } catch (IOException e) {
            sent.record(Wire.NO_ANSWER);
            throw e;
        }
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        Sent sent = new Sent();
        CompletableFuture<HttpResponse<T>> response = delegate.sendAsync(request, sent.watching(handler));
        var unused = response.whenComplete((answer, failure) -> {
            if (failure != null) {
                sent.record(Wire.NO_ANSWER);
            }
        });
        return response;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, HttpResponse.PushPromiseHandler<T> pushes) {
        return sendAsync(request, handler); // HTTP/1.1 pushes nothing
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
}
