package dev.throttle.lab.torture;

import dev.throttle.fixtures.StubHttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Shows the head of a response to the handler, and never completes the future. */
final class CutOffClient extends StubHttpClient {

    private record Head(int statusCode, HttpHeaders headers, Version version) implements ResponseInfo {}

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, BodyHandler<T> handler) {
        handler.apply(new Head(200, HttpHeaders.of(Map.of(), (name, value) -> true), Version.HTTP_1_1));
        return new CompletableFuture<>();
    }
}
