package dev.throttle.spring.boot;

import static dev.throttle.spring.boot.ScriptedServer.HANG_UP;
import static dev.throttle.spring.boot.ScriptedServer.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.CallOptions;
import dev.throttle.ThrottleRegistry;
import dev.throttle.client.Origin;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.spring.ThrottleAttributes;
import dev.throttle.spring.ThrottlingExchangeFilter;
import dev.throttle.spring.ThrottlingRequestInterceptor;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.reactive.ClientHttpConnectorBuilder;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.ReactorClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** The HTTP libraries that Spring's clients run on, with a real server. */
class LibrariesTest {

    private static final String SECONDARY = "{\"message\": \"You have exceeded a secondary rate limit\"}";

    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .strategy(Strategies.none())
            .retryAfterJitter(0, Duration.ZERO)
            .maxWait(Duration.ofMinutes(5))
            .build();

    /** Sends a request with a body, or without one, and returns the body of the answer. */
    interface Client {

        String send(ScriptedServer server, String body, CallOptions options);

        default String get(ScriptedServer server) {
            return send(server, "", CallOptions.DEFAULT);
        }
    }

    private Client blocking(ClientHttpRequestFactory factory) {
        RestClient client = RestClient.builder()
                .requestFactory(factory)
                .requestInterceptor(ThrottlingRequestInterceptor.create(throttles))
                .defaultStatusHandler(status -> true, (request, response) -> {})
                .build();
        return (server, body, options) -> {
            RestClient.RequestBodySpec request = client.method(body.isEmpty() ? HttpMethod.GET : HttpMethod.POST)
                    .uri(server.uri())
                    .attributes(ThrottleAttributes.options(options));
            if (!body.isEmpty()) {
                request.contentType(MediaType.TEXT_PLAIN).body(body);
            }
            return request.retrieve().body(String.class);
        };
    }

    private Client reactive(ClientHttpConnector connector) {
        WebClient client = WebClient.builder()
                .clientConnector(connector)
                .filter(ThrottlingExchangeFilter.create(throttles))
                .build();
        return (server, body, options) -> {
            WebClient.RequestBodySpec request = client.method(body.isEmpty() ? HttpMethod.GET : HttpMethod.POST)
                    .uri(server.uri())
                    .attributes(ThrottleAttributes.options(options));
            if (!body.isEmpty()) {
                request.contentType(MediaType.TEXT_PLAIN).bodyValue(body);
            }
            return request.exchangeToMono(response -> response.bodyToMono(String.class))
                    .block();
        };
    }

    private long count(ScriptedServer server, Outcome outcome) {
        return throttles.get(Origin.of(server.uri())).count(outcome);
    }

    private Client client(String library) {
        return switch (library) {
            case "jdk" ->
                blocking(new JdkClientHttpRequestFactory(HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build()));
            case "simple" -> blocking(new SimpleClientHttpRequestFactory());
            case "reactor" -> blocking(new ReactorClientHttpRequestFactory());
            case "http-components" ->
                blocking(new HttpComponentsConfiguration()
                        .throttlingHttpComponentsCustomizer()
                        .customize(ClientHttpRequestFactoryBuilder.httpComponents())
                        .build());
            case "web-client-http-components" ->
                reactive(new HttpComponentsConfiguration.Reactive()
                        .throttlingHttpComponentsConnectorCustomizer()
                        .customize(ClientHttpConnectorBuilder.httpComponents())
                        .build());
            case "web-client-jdk" ->
                reactive(new JdkClientHttpConnector(HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build()));
            default -> reactive(new ReactorClientHttpConnector());
        };
    }

    private static Stream<Arguments> libraries() {
        return Stream.of(
                        "jdk",
                        "simple",
                        "reactor",
                        "http-components",
                        "web-client-jdk",
                        "web-client-reactor",
                        "web-client-http-components")
                .map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void aRefusedRequestIsRepeatedWithItsBody(String library) throws Exception {
        try (ScriptedServer server = new ScriptedServer(
                answer("429 Too Many Requests", "later", "Retry-After: 0\r\n"),
                answer("503 Service Unavailable", "busy", "Retry-After: 0\r\n"),
                answer("200 OK", "yes"))) {
            String answer = client(library).send(server, "item", CallOptions.DEFAULT.idempotent(true));
            assertThat(answer).isEqualTo("yes");
            assertThat(server.bodies).containsExactly("item", "item", "item");
            assertThat(count(server, Outcome.RATE_LIMITED)).isEqualTo(1);
            assertThat(count(server, Outcome.BUSY)).isEqualTo(1);
            assertThat(count(server, Outcome.SUCCESS)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void aConnectionThatIsClosedIsAFaultAndRepeated(String library) throws Exception {
        try (ScriptedServer server = new ScriptedServer(HANG_UP, HANG_UP, answer("200 OK", "yes"))) {
            assertThat(client(library).get(server)).isEqualTo("yes");
            assertThat(count(server, Outcome.UNREACHABLE)).isPositive(); // some libraries repeat once by themselves
            assertThat(count(server, Outcome.SUCCESS)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void nobodyThereIsAFault(String library) throws Exception {
        ScriptedServer server = new ScriptedServer();
        server.close();
        CallOptions once = CallOptions.DEFAULT.maxAttempts(1);
        assertThatThrownBy(() -> client(library).send(server, "", once)).hasRootCauseInstanceOf(IOException.class);
        assertThat(count(server, Outcome.UNREACHABLE)).isEqualTo(1);
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void aBodyThatWasLookedAtIsWhole(String library) throws Exception {
        String body = SECONDARY + " ".repeat(50_000) + "end";
        try (ScriptedServer server = new ScriptedServer(answer("403 Forbidden", body))) {
            assertThat(client(library).send(server, "", CallOptions.DEFAULT.maxAttempts(1)))
                    .isEqualTo(body);
            assertThat(count(server, Outcome.RATE_LIMITED)).isEqualTo(1);
        }
    }
}
