package dev.throttle.reality.load;

import dev.throttle.jdkhttp.ThrottlingHttpClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** Throttle on the JDK's client, wired as its page says. */
final class ThrottledJdk implements LoadClient {

    private final HttpRequest request;
    private final ThrottlingHttpClient client;

    ThrottledJdk(URI uri, Wire wire) {
        request = HttpRequest.newBuilder(uri).build();
        client = ThrottlingHttpClient.newBuilder(new WireHttpClient(wire)).build();
    }

    @Override
    public int call() throws IOException, InterruptedException {
        return client.send(request, BodyHandlers.ofString()).statusCode();
    }

    @Override
    public CompletableFuture<Integer> callLater() {
        return client.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::statusCode);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
