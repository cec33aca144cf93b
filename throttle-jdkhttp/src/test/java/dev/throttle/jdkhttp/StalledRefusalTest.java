package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static dev.throttle.fixtures.Awaiting.inBackground;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.testing.VirtualTime;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Refusals whose bodies do not come to an end. */
class StalledRefusalTest {

    private static final String BEGINNING = "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 100\r\n\r\nslow";

    private static final Duration LIMIT = Duration.ofMillis(300);

    private final VirtualTime time = new VirtualTime();

    private HttpClient client() {
        return ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttle(TestThrottles.throttle(Duration.ofMillis(1)))
                .drainLimits(65536, LIMIT)
                .time(time)
                .build();
    }

    private static HttpRequest get(RawServer server) {
        return HttpRequest.newBuilder(server.uri())
                .timeout(Duration.ofMinutes(1))
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void aStalledRefusalCostsAtMostTheDrainLimit(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            if (number == 1) {
                exchange.send(BEGINNING);
                exchange.hang();
            } else {
                exchange.send(RawServer.OK);
            }
        })) {
            CompletableFuture<HttpResponse<String>> call =
                    inBackground(() -> mode.send(client(), get(server), BodyHandlers.ofString()));
            await().until(() -> time.scheduledTasks() == 1);
            time.advance(LIMIT.minusNanos(1));
            assertThat(server.requests).hasValue(1);
            time.advanceNanos(1);
            assertThat(call.get(30, TimeUnit.SECONDS).body()).isEqualTo("{}");
            assertThat(server.requests).hasValue(2);
            assertThat(time.scheduledTasks()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalCutOffIsStillARefusal(Mode mode) throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            if (number == 1) {
                exchange.send(BEGINNING);
                exchange.close();
            } else {
                exchange.send(RawServer.OK);
            }
        })) {
            assertThat(mode.send(client(), get(server), BodyHandlers.ofString()).body())
                    .isEqualTo("{}");
            assertThat(server.requests).hasValue(2);
            assertThat(time.scheduledTasks()).isZero();
        }
    }

    /** As the JDK's client does when an exchange is cut off between head and body. */
    @ParameterizedTest
    @EnumSource
    void aRefusalWhoseBodyNeverBeginsCostsAtMostTheDrainLimitAndEndsForTheClient(Mode mode) throws Exception {
        List<CompletableFuture<?>> bodies = new CopyOnWriteArrayList<>();
        FakeClient delegate = new FakeClient(new FakeClient.Script() {
            @Override
            public <T> CompletableFuture<HttpResponse<T>> answer(
                    int number, HttpRequest request, HttpResponse.BodyHandler<T> handler) {
                if (number > 1) {
                    return CompletableFuture.completedFuture(FakeClient.respond(request, 200, handler));
                }
                HttpHeaders headers = HttpHeaders.of(Map.of(), (name, value) -> true);
                CompletableFuture<T> body = handler.apply(
                                new FakeClient.Info(429, headers, HttpClient.Version.HTTP_1_1))
                        .getBody()
                        .toCompletableFuture();
                bodies.add(body);
                return body.thenApply(read -> new FakeClient.Response<>(request, 429, headers, read));
            }
        });
        HttpClient client = ThrottlingHttpClient.newBuilder(delegate)
                .throttle(TestThrottles.throttle(Duration.ofMillis(1)))
                .drainLimits(65536, LIMIT)
                .time(time)
                .build();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://localhost/")).build();

        CompletableFuture<HttpResponse<String>> call =
                inBackground(() -> mode.send(client, request, BodyHandlers.ofString()));
        await().until(() -> time.scheduledTasks() == 1);
        time.advance(LIMIT);

        assertThat(call.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(bodies).singleElement().satisfies(body -> assertThat(body).isCompletedExceptionally());
        assertThat(delegate.attempts()).isEqualTo(2);
        assertThat(time.scheduledTasks()).isZero();
    }
}
