package com.example;

import com.anthropic.core.RequestOptions;
import com.anthropic.core.Timeout;
import com.anthropic.core.http.Headers;
import com.anthropic.core.http.HttpClient;
import com.anthropic.core.http.HttpRequest;
import com.anthropic.core.http.HttpRequestBody;
import com.anthropic.core.http.HttpResponse;
import com.anthropic.errors.AnthropicIoException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Sends the requests of Anthropic's SDK with a client of {@code java.net.http}. */
final class JdkTransport implements HttpClient {

    private final java.net.http.HttpClient client;

    JdkTransport(java.net.http.HttpClient client) {
        this.client = client;
    }

    @Override
    public HttpResponse execute(HttpRequest request, RequestOptions options) {
        try {
            return new Answer(client.send(translate(request, options), BodyHandlers.ofInputStream()));
        } catch (IOException e) {
            throw new AnthropicIoException("the request failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AnthropicIoException("interrupted", e);
        }
    }

    @Override
    public CompletableFuture<HttpResponse> executeAsync(HttpRequest request, RequestOptions options) {
        return client.sendAsync(translate(request, options), BodyHandlers.ofInputStream())
                .handle((response, failure) -> {
                    if (failure != null) {
                        throw translate(failure);
                    }
                    return new Answer(response);
                });
    }

    private static CompletionException translate(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return new CompletionException(
                cause instanceof IOException ? new AnthropicIoException("the request failed", cause) : cause);
    }

    private static java.net.http.HttpRequest translate(HttpRequest request, RequestOptions options) {
        java.net.http.HttpRequest.Builder builder = java.net.http.HttpRequest.newBuilder(URI.create(request.url()));
        builder.method(
                request.method().name(),
                request.body().map(JdkTransport::publisher).orElse(BodyPublishers.noBody()));
        for (String name : request.headers().names()) {
            for (String value : request.headers().values(name)) {
                builder.header(name, value);
            }
        }
        request.body().map(HttpRequestBody::contentType).ifPresent(type -> builder.setHeader("Content-Type", type));
        options.timeout().map(Timeout::request).filter(JdkTransport::isPositive).ifPresent(builder::timeout);
        return builder.build();
    }

    private static boolean isPositive(Duration duration) {
        return duration.compareTo(Duration.ZERO) > 0; // zero means none to the SDK
    }

    private static BodyPublisher publisher(HttpRequestBody body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        body.writeTo(bytes);
        return BodyPublishers.ofByteArray(bytes.toByteArray());
    }

    @Override
    public void close() {
        // the client belongs to the caller, who closes it
    }

    private record Answer(java.net.http.HttpResponse<InputStream> response) implements HttpResponse {

        @Override
        public int statusCode() {
            return response.statusCode();
        }

        @Override
        public Headers headers() {
            return Headers.builder().putAll(response.headers().map()).build();
        }

        @Override
        public InputStream body() {
            return response.body();
        }

        @Override
        public void close() {
            try {
                response.body().close();
            } catch (IOException e) {
                throw new AnthropicIoException("the body could not be closed", e);
            }
        }
    }
}
