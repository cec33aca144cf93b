package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Responses of which nobody knows who sent them until their body has ended, as a redirect might have been followed. */
class UnknownSenderTest {

    private final ThrottleRegistry throttles =
            ThrottleRegistry.builder().strategy(Strategies.none()).build();

    private ThrottlingHttpClient client(Redirect redirect) {
        HttpClient plain = HttpClient.newBuilder().followRedirects(redirect).build();
        return ThrottlingHttpClient.newBuilder(plain).throttles(throttles).build();
    }

    @ParameterizedTest
    @EnumSource(Redirect.class)
    void aRefusalThatIsNotRepeatedHoldsOthersBackBeforeItsBodyHasEnded(Redirect redirect) throws Exception {
        CountDownLatch ending = new CountDownLatch(1);
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 429 Too Many\r\nRetry-After: 3600\r\nContent-Length: 8\r\n\r\nslow");
            ending.await();
            exchange.send("slow");
        })) {
            ThrottlingHttpClient client = client(redirect);
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            CompletableFuture<HttpResponse<String>> first = client.sendAsync(request, BodyHandlers.ofString());
            Throttle throttle = throttles.get(dev.throttle.client.Origin.of(server.uri()));
            await().until(() -> throttle.snapshot().blocked().compareTo(Duration.ofMinutes(59)) > 0);
            for (int i = 0; i < 20; i++) {
                assertThat(client.sendAsync(request, BodyHandlers.ofString()))
                        .failsWithin(Duration.ofSeconds(20)); // while the body has not ended
            }
            ending.countDown();
            assertThat(first).failsWithin(Duration.ofSeconds(20));
            assertThat(server.requests).hasValue(1);
            assertThat(throttle.snapshot().blocked()).isGreaterThan(Duration.ofMinutes(59));
        }
    }

    @Test
    void aCallThatIsCancelledMeanwhileHasLearnedNoLess() throws Exception {
        try (RawServer server = new RawServer((number, exchange) -> {
            exchange.send("HTTP/1.1 429 Too Many\r\nRetry-After: 3600\r\nContent-Length: 8\r\n\r\nslow");
            exchange.hang();
        })) {
            CompletableFuture<HttpResponse<String>> call = client(Redirect.NORMAL)
                    .sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString());
            Throttle throttle = throttles.get(dev.throttle.client.Origin.of(server.uri()));
            await().until(() -> !throttle.snapshot().blocked().isZero());
            call.cancel(true);
            await().until(() -> throttle.snapshot().inFlight() == 0);
            assertThat(throttle.snapshot().blocked()).isGreaterThan(Duration.ofMinutes(59));
        }
    }

    @ParameterizedTest
    @EnumSource(Redirect.class)
    void ofManyOverloadsAtOnceNoneIsLost(Redirect redirect) throws Exception {
        CountDownLatch allSent = new CountDownLatch(60);
        try (RawServer server = new RawServer((number, exchange) -> {
            allSent.countDown();
            allSent.await();
            exchange.send("HTTP/1.1 503 Unavailable\r\nContent-Length: 4\r\n\r\nbusy");
        })) {
            ThrottlingHttpClient client = client(redirect);
            List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                calls.add(client.sendAsync(HttpRequest.newBuilder(server.uri()).build(), BodyHandlers.ofString()));
            }
            for (CompletableFuture<HttpResponse<String>> call : calls) {
                assertThat(call.join().body()).isEqualTo("busy");
            }
        }
    }
}
