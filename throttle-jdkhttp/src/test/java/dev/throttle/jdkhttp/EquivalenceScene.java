package dev.throttle.jdkhttp;

import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.fixtures.ClientScene;
import dev.throttle.retry.RetryPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.jspecify.annotations.Nullable;

/** A server and a client for one row of the table of {@link EquivalenceTest}, and all that shows of its calls. */
final class EquivalenceScene implements ClientScene, AutoCloseable {

    private final boolean isThrottled;
    private final boolean isAsync;
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());
    private final MockWebServer server = new MockWebServer();
    private boolean isServerIgnored;
    private HttpClient client;

    EquivalenceScene(boolean isThrottled, boolean isAsync) throws IOException {
        this.isThrottled = isThrottled;
        this.isAsync = isAsync;
        server.start(InetAddress.getLoopbackAddress(), 0);
        client(settings -> {});
    }

    void log(String what) {
        log.add(what.replaceAll("\\b" + server.getPort() + "\\b", "PORT").replaceAll("@[0-9a-f]+", "@HASH"));
    }

    List<String> log() {
        return List.copyOf(log);
    }

    /** What came to the server depends on how busy the machine is. */
    void ignoreServer() {
        isServerIgnored = true;
    }

    boolean isAsync() {
        return isAsync;
    }

    /** Makes the client of the row. */
    void client(Consumer<HttpClient.Builder> settings) {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        settings.accept(builder);
        HttpClient bare = builder.build();
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(Strategies.none())
                .retryPolicy(RetryPolicy.none())
                .build();
        client = isThrottled
                ? ThrottlingHttpClient.newBuilder(bare).throttles(throttles).build()
                : bare;
    }

    HttpClient client() {
        return client;
    }

    MockWebServer server() {
        return server;
    }

    @Override
    public void answer(MockResponse... responses) {
        for (MockResponse response : responses) {
            server.enqueue(response);
        }
    }

    URI uri() {
        return URI.create("http://localhost:" + server.getPort() + "/path?q=1");
    }

    HttpRequest.Builder request() {
        return HttpRequest.newBuilder(uri());
    }

    @Override
    public void get() {
        call(request().build());
    }

    @Override
    public void call(String method, String body) {
        call(request()
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .header("Mine", "1")
                .header("Mine", "2")
                .build());
    }

    void call(HttpRequest request) {
        call(request, BodyHandlers.ofString());
    }

    /** Makes a call, and reads all there is of its answer. */
    <T> void call(@Nullable HttpRequest request, @Nullable BodyHandler<T> handler) {
        BodyHandler<T> counted = handler == null
                ? null
                : info -> {
                    log("handler for " + info.statusCode() + " " + info.version() + " "
                            + info.headers().map().keySet());
                    return handler.apply(info);
                };
        try {
            describe("", isAsync ? join(client.sendAsync(request, counted)) : client.send(request, counted));
        } catch (Throwable e) {
            failed(e);
        }
        log("left interrupted " + Thread.interrupted());
    }

    private <T> HttpResponse<T> join(CompletableFuture<HttpResponse<T>> future) throws Throwable {
        try {
            return future.get();
        } catch (ExecutionException e) {
            log("state " + future.isDone() + future.isCancelled() + future.isCompletedExceptionally());
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    void failed(Throwable e) {
        if (e instanceof NullPointerException || e instanceof InterruptedException) {
            log("failed " + e.getClass()); // the JDK has no message for them
            return;
        }
        if (e instanceof HttpTimeoutException) {
            log("not in time"); // how far it had come is the machine's affair, and the JDK tells
            return;
        }
        StringBuilder told = new StringBuilder("failed " + e);
        for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
            told.append(" because of ").append(cause);
        }
        log(told.toString());
    }

    private void describe(String prefix, HttpResponse<?> response) throws IOException {
        log(prefix + response.statusCode() + " " + response.version() + " "
                + response.headers().map() + " of " + response.uri() + ", TLS "
                + response.sslSession().isPresent());
        log(prefix + response.request().method() + " " + response.request().uri() + " "
                + response.request().headers().map());
        log(prefix + text(response.body()));
        HttpResponse<?> previous = response.previousResponse().orElse(null);
        if (previous != null) {
            describe(prefix + "before: ", previous);
        }
    }

    private static String text(@Nullable Object body) throws IOException {
        if (body instanceof InputStream stream) {
            try (stream) {
                return "stream " + new String(stream.readAllBytes(), StandardCharsets.UTF_8).hashCode();
            }
        } else if (body instanceof Stream<?> lines) {
            return "lines " + lines.toList();
        } else if (body instanceof byte[] bytes) {
            return "bytes " + new String(bytes, StandardCharsets.UTF_8);
        } else if (body instanceof String string && string.length() > 1000) {
            return "long " + string.length() + " " + string.hashCode();
        }
        return "body " + body;
    }

    /** Adds to the log what came to the server. */
    void logRequests() throws InterruptedException {
        for (int i = isServerIgnored ? 0 : server.getRequestCount(); i > 0; i--) {
            RecordedRequest request = server.takeRequest();
            log("server: " + request.getMethod() + " " + request.getTarget() + " " + request.getHeaders() + " "
                    + request.getBody() + " on connection " + request.getConnectionIndex());
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
