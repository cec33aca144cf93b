package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that nobody uses any more, and what their last exchanges hold: the JDK's client ends its threads when its
 * outer object is collected, so nothing that an exchange reaches may hold that object.
 */
class ReachabilityTest {

    private static final int CLIENTS = 10;

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));

    /** What the client was doing when it was dropped. */
    enum Last {
        STREAM_NEVER_READ,
        IN_FLIGHT,
        TIMED_OUT
    }

    private void useAndDrop(Last last, RawServer server, List<WeakReference<?>> dropped, List<Object> kept)
            throws Exception {
        HttpClient delegate = HttpClient.newHttpClient();
        ThrottlingHttpClient client =
                ThrottlingHttpClient.newBuilder(delegate).throttle(throttle).build();
        dropped.add(new WeakReference<>(delegate));
        dropped.add(new WeakReference<>(client));
        HttpRequest.Builder request = HttpRequest.newBuilder(server.uri());
        if (last == Last.TIMED_OUT) {
            request.timeout(Duration.ofMillis(50));
        }
        CompletableFuture<java.net.http.HttpResponse<InputStream>> call =
                client.sendAsync(request.build(), leadingTo(client));
        switch (last) {
            case STREAM_NEVER_READ -> kept.add(call.join().body());
            case IN_FLIGHT -> await().until(() -> throttle.snapshot().inFlight() == 1);
            case TIMED_OUT -> call.handle((response, failure) -> null).join();
        }
        client.shutdownNow();
        client.awaitTermination(Duration.ofSeconds(30));
    }

    /** The JDK's client may keep it, and would keep itself and its thread with it. */
    private static BodyHandler<InputStream> leadingTo(HttpClient client) {
        return info -> {
            assertThat(client).isNotNull();
            return BodySubscribers.ofInputStream();
        };
    }

    @ParameterizedTest
    @EnumSource
    void nothingHoldsAClientThatWasShutDown(Last last) throws Exception {
        List<WeakReference<?>> dropped = new ArrayList<>();
        List<Object> kept = new ArrayList<>();
        try (RawServer server = new RawServer((number, exchange) -> {
            if (last == Last.STREAM_NEVER_READ) {
                exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nx");
            }
            exchange.hang();
        })) {
            for (int i = 0; i < CLIENTS; i++) {
                useAndDrop(last, server, dropped, kept);
            }
            await().pollInterval(Duration.ofMillis(50)).untilAsserted(() -> {
                System.gc();
                assertThat(dropped)
                        .filteredOn(reference -> reference.get() != null)
                        .isEmpty();
            });
        }
    }
}
