package dev.throttle.jdkhttp;

import dev.throttle.fixtures.StubHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSession;

/** A client without a network, which records what it is given. */
class FakeClient extends StubHttpClient {

    /** Makes the future of an attempt, counted from 1. */
    interface Script {
        <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> handler);
    }

    private final Script script;
    private Redirect redirect = Redirect.NEVER;
    private final AtomicInteger attempts = new AtomicInteger();
    final List<HttpRequest> requests = new CopyOnWriteArrayList<>();
    final List<Optional<PushPromiseHandler<?>>> pushes = new CopyOnWriteArrayList<>();
    final List<HttpResponse<?>> responses = new CopyOnWriteArrayList<>();

    FakeClient(Script script) {
        this.script = script;
    }

    FakeClient following(Redirect value) {
        redirect = value;
        return this;
    }

    /** Answers at once: so many refusals, and then 200. */
    static FakeClient refusing(int refusals) {
        return new FakeClient(new Script() {
            @Override
            public <T> CompletableFuture<HttpResponse<T>> answer(int number, HttpRequest request, BodyHandler<T> h) {
                return CompletableFuture.completedFuture(respond(request, number <= refusals ? 429 : 200, h));
            }
        });
    }

    /** Runs the handler as a client would, on a response without a body. */
    static <T> HttpResponse<T> respond(HttpRequest request, int status, BodyHandler<T> handler) {
        return respond(request, status, Map.of(), handler);
    }

    static <T> HttpResponse<T> respond(
            HttpRequest request, int status, Map<String, List<String>> headers, BodyHandler<T> handler) {
        Info info = new Info(status, HttpHeaders.of(headers, (name, value) -> true), HttpClient.Version.HTTP_1_1);
        var subscriber = handler.apply(info);
        subscriber.onSubscribe(new Flow.Subscription() {
            @Override
            public void request(long n) {}

            @Override
            public void cancel() {}
        });
        subscriber.onComplete();
        return new Response<>(
                request,
                status,
                info.headers(),
                subscriber.getBody().toCompletableFuture().join());
    }

    record Info(int statusCode, HttpHeaders headers, HttpClient.Version version) implements ResponseInfo {}

    /** A response of this client. */
    record Response<T>(HttpRequest request, int statusCode, HttpHeaders headers, T body) implements HttpResponse<T> {
        @Override
        public Optional<HttpResponse<T>> previousResponse() {
            return Optional.empty();
        }

        @Override
        public Optional<SSLSession> sslSession() {
            return Optional.empty();
        }

        @Override
        public URI uri() {
            return request.uri();
        }

        @Override
        public HttpClient.Version version() {
            return HttpClient.Version.HTTP_1_1;
        }
    }

    private <T> CompletableFuture<HttpResponse<T>> attempt(HttpRequest request, BodyHandler<T> handler) {
        int number = attempts.incrementAndGet();
        if (number <= 100) {
            requests.add(request);
        }
        try {
            return script.answer(number, request, handler);
        } catch (CompletionException e) { // of a body, which the handler may fail
            return CompletableFuture.failedFuture(e.getCause());
        }
    }

    int attempts() {
        return attempts.get();
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        CompletableFuture<HttpResponse<T>> future = attempt(request, handler);
        if (attempts.get() <= 100) {
            future.thenAccept(responses::add);
        }
        return future;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushPromiseHandler) {
        pushes.add(Optional.ofNullable(pushPromiseHandler));
        return sendAsync(request, handler);
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return Optional.of(Duration.ofMillis(7));
    }

    @Override
    public Redirect followRedirects() {
        return redirect;
    }
}
