package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same on HTTP/2, where a request is a stream of a shared connection. */
class Http2Test {

    private final Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
    private final AtomicInteger requests = new AtomicInteger();
    private final Set<Integer> connections = ConcurrentHashMap.newKeySet();
    private final List<Integer> seen = new CopyOnWriteArrayList<>();

    /** Refuses so many times. */
    private Dispatcher refusing(int refusals, MockResponse refusal) {
        return new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                connections.add(request.getConnectionIndex());
                return requests.incrementAndGet() <= refusals
                        ? refusal
                        : new MockResponse.Builder().body("{}").build();
            }
        };
    }

    private static MockResponse refusal(int length) {
        return new MockResponse.Builder().code(429).body("x".repeat(length)).build();
    }

    private HttpResponse<String> send(Mode mode, Http2Server server) throws Exception {
        HttpClient client = ThrottlingHttpClient.newBuilder(Http2Server.client())
                .throttle(throttle)
                .build();
        HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
        return mode.send(client, request, info -> {
            seen.add(info.statusCode());
            return BodyHandlers.ofString().apply(info);
        });
    }

    @ParameterizedTest
    @EnumSource
    void theHandlerSeesTheAcceptedResponseAndNoRefusal(Mode mode) throws Exception {
        try (Http2Server server = new Http2Server(refusing(2, refusal(1000)))) {
            HttpResponse<String> response = send(mode, server);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(response.sslSession()).isPresent();
            assertThat(seen).containsExactly(200);
            assertThat(requests).hasValue(3);
            assertThat(connections).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void longRefusalsAreNotReadToTheEndAndCostNoConnection(Mode mode) throws Exception {
        try (Http2Server server = new Http2Server(refusing(2, refusal(5_000_000)))) {
            HttpResponse<String> response = send(mode, server);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(seen).containsExactly(200);
            assertThat(requests).hasValue(3);
            assertThat(connections).hasSize(1);
        }
    }

    @Test
    void cancelInFlightEndsTheStream() throws Exception {
        Dispatcher dispatcher = new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) {
                return requests.incrementAndGet() == 1
                        ? refusal(10)
                        : new MockResponse.Builder()
                                .headersDelay(1, TimeUnit.SECONDS)
                                .build();
            }
        };
        try (Http2Server server = new Http2Server(dispatcher)) {
            ThrottlingHttpClient client = ThrottlingHttpClient.newBuilder(Http2Server.client())
                    .throttle(throttle)
                    .build();
            CompletableFuture<?> call =
                    client.sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
            await().until(() -> requests.get() == 2);
            assertThat(throttle.snapshot().inFlight()).isEqualTo(1);
            call.cancel(true);
            assertThat(call).isCancelled();
            client.shutdown();
            // Since Java 21 this is false while the wrapped client has an open stream.
            assertThat(client.awaitTermination(Duration.ofSeconds(30))).isTrue();
            assertThat(throttle.snapshot().inFlight()).isZero();
        }
    }
}
