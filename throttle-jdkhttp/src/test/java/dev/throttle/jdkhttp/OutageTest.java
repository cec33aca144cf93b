package dev.throttle.jdkhttp;

import dev.throttle.fixtures.Awaiting;
import dev.throttle.fixtures.OutageContract;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

class OutageTest extends OutageContract<Mode> {

    private final HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
            .throttles(throttles)
            .build();

    static Mode[] doors() {
        return Mode.values();
    }

    @Override
    protected CompletableFuture<Integer> call(Mode mode, URI uri, String method) {
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, method.equals("POST") ? BodyPublishers.ofString("text") : BodyPublishers.noBody())
                .build();
        return Awaiting.inBackground(
                () -> mode.send(client, request, BodyHandlers.discarding()).statusCode());
    }
}
