package dev.throttle.jdkhttp;

import static dev.throttle.fixtures.Awaiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.mizosoft.methanol.Methanol;
import dev.throttle.Throttle;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.java11.instrument.binder.jdk.MicrometerHttpClient;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Under and around the clients of others. */
class DropInTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private static ThrottlingHttpClient throttling(HttpClient delegate, Throttle throttle) {
        return ThrottlingHttpClient.newBuilder(delegate).throttle(throttle).build();
    }

    private static RestClient spring(HttpClient client, Duration readTimeout) {
        JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory(client);
        factory.setReadTimeout(readTimeout);
        return RestClient.builder().requestFactory(factory).build();
    }

    @Test
    void springsRestClientSeesNoRefusal() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 100), Reply.of(429, 100))) {
            RestClient client = spring(throttling(HttpClient.newHttpClient(), throttle), Duration.ofSeconds(30));
            assertThat(client.get().uri(server.uri()).retrieve().body(String.class))
                    .isEqualTo("{}");
            assertThat(server.hits()).isEqualTo(3);
        }
    }

    /** Spring publishes a body of known length, which it writes anew each time. */
    @Test
    void springsBodiesAreSentAgain() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 100))) {
            RestClient client = spring(throttling(HttpClient.newHttpClient(), throttle), Duration.ofSeconds(30));
            assertThat(client.post()
                            .uri(server.uri())
                            .body("payload")
                            .retrieve()
                            .toBodilessEntity()
                            .getStatusCode()
                            .value())
                    .isEqualTo(200);
            assertThat(server.bodies).containsExactly("payload", "payload");
        }
    }

    @Test
    void springsReadTimeoutEndsACallInItsDelay() throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMinutes(5));
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, 100))) {
            ThrottlingHttpClient ours = throttling(HttpClient.newHttpClient(), throttle);
            RestClient client = spring(ours, Duration.ofSeconds(2));
            assertThatThrownBy(() -> client.get().uri(server.uri()).retrieve().body(String.class))
                    .isInstanceOf(ResourceAccessException.class);
            await().until(() -> ours.pending() == 0);
            assertThat(throttle.snapshot().waiting()).isZero();
            assertThat(server.hits()).isEqualTo(1);
        }
    }

    /** Another decorator, and the side of it on which the throttle is. */
    enum Stack {
        MICROMETER_OUTSIDE,
        MICROMETER_INSIDE,
        METHANOL_OUTSIDE,
        METHANOL_INSIDE;

        HttpClient build(UnaryOperator<HttpClient> throttling, SimpleMeterRegistry registry) {
            HttpClient jdk = HttpClient.newHttpClient();
            return switch (this) {
                case MICROMETER_OUTSIDE ->
                    MicrometerHttpClient.instrumentationBuilder(throttling.apply(jdk), registry)
                            .build();
                case MICROMETER_INSIDE ->
                    throttling.apply(MicrometerHttpClient.instrumentationBuilder(jdk, registry)
                            .build());
                case METHANOL_OUTSIDE ->
                    Methanol.newBuilder(throttling.apply(jdk)).build();
                case METHANOL_INSIDE ->
                    throttling.apply(Methanol.newBuilder(jdk).build());
            };
        }

        /** How many requests the metrics of the other decorator show for one call of three attempts. */
        int seen() {
            return this == MICROMETER_OUTSIDE ? 1 : this == MICROMETER_INSIDE ? 3 : 0;
        }
    }

    @ParameterizedTest
    @EnumSource
    void stackedClientsSeeNoRefusal(Stack stack) throws Exception {
        for (Mode mode : Mode.values()) {
            registry.clear();
            Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
            try (ScriptedServer server = new ScriptedServer(Reply.of(429, 100), Reply.of(429, 100))) {
                HttpClient client = stack.build(delegate -> throttling(delegate, throttle), registry);
                HttpRequest request = HttpRequest.newBuilder(server.uri()).GET().build();
                assertThat(mode.send(client, request, BodyHandlers.ofString()).body())
                        .isEqualTo("{}");
                assertThat(server.hits()).isEqualTo(3);
                assertThat(registry.find("http.client.requests").timers().stream()
                                .mapToLong(timer -> timer.count())
                                .sum())
                        .isEqualTo(stack.seen());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void stackedClientsCancelInTheDelay(Stack stack) throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofSeconds(30));
        try (RawServer server = new RawServer((number, exchange) -> exchange.send(RawServer.REFUSED))) {
            HttpClient client = stack.build(delegate -> throttling(delegate, throttle), registry);
            CompletableFuture<HttpResponse<String>> call =
                    client.sendAsync(HttpRequest.newBuilder(server.uri()).GET().build(), BodyHandlers.ofString());
            await().until(() -> throttle.snapshot().waiting() == 1);
            call.cancel(true);
            // Out of the queue it can send nothing, for only a permit of the queue's does.
            await().until(() -> throttle.snapshot().waiting() == 0);
            assertThat(throttle.snapshot().inFlight()).isZero();
            assertThat(throttle.snapshot().cancelledWaiting()).isEqualTo(1);
            assertThat(server.requests).hasValue(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void stackedClientsCancelInFlight(Stack stack) throws Exception {
        Throttle throttle = TestThrottles.throttle(Duration.ofMillis(1));
        try (RawServer server = new RawServer((number, exchange) -> {
            if (number == 1) {
                exchange.send(RawServer.REFUSED);
            } else {
                exchange.hang();
            }
        })) {
            HttpClient client = stack.build(delegate -> throttling(delegate, throttle), registry);
            CompletableFuture<HttpResponse<String>> call =
                    client.sendAsync(HttpRequest.newBuilder(server.uri()).GET().build(), BodyHandlers.ofString());
            await().until(() -> server.requests.get() == 2);
            call.cancel(true);
            assertThat(server.seesTheClientGo()).isTrue();
            await().until(() -> throttle.snapshot().inFlight() == 0);
        }
    }
}
