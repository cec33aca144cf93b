package dev.throttle.benchmarks;

import dev.throttle.fixtures.StubHttpClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;

/** A client of the JDK's kind that answers by itself, at once, so that only what is around it takes time. */
final class StubClient extends StubHttpClient {

    private final Supplier<HttpHeaders> headers;

    StubClient(Supplier<HttpHeaders> headers) {
        this.headers = headers;
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler) {
        Answer<T> answer = new Answer<>(request, headers.get(), null);
        handler.apply(answer); // the body is not what is measured
        return answer;
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        return CompletableFuture.completedFuture(send(request, handler));
    }

    /** The response, and what is known of it at its headers. */
    private record Answer<T>(HttpRequest request, HttpHeaders headers, T body)
            implements HttpResponse<T>, ResponseInfo {

        @Override
        public int statusCode() {
            return 200;
        }

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
}
