package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.retry.RetryDecision.StopReason;
import dev.throttle.signal.Outcome;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Refusals that no wait can mend, by the default classifiers. */
class DeniedTest {

    private static final String EMPTY_ACCOUNT =
            "{\"error\": {\"type\": \"insufficient_quota\", \"param\": null, \"code\": \"insufficient_quota\"}}";

    private final ThrottleRegistry throttles = ThrottleRegistry.create();

    static Stream<Arguments> ways() {
        return Stream.of(Mode.values())
                .flatMap(mode ->
                        Stream.of(Redirect.NEVER, Redirect.NORMAL).map(redirect -> Arguments.of(mode, redirect)));
    }

    private ThrottlingHttpClient client(Redirect redirect) {
        HttpClient plain = HttpClient.newBuilder().followRedirects(redirect).build();
        return ThrottlingHttpClient.newBuilder(plain)
                .throttles(throttles)
                .drainLimits(65_536, Duration.ofMinutes(1)) // on a busy machine a body may take longer than a second
                .build();
    }

    private Throttle throttle() {
        return throttles.all().iterator().next();
    }

    private static Reply refusal(String body, Map<String, String> headers) {
        return new Reply(429, body.getBytes(StandardCharsets.UTF_8), headers);
    }

    private static void assertNotSlowed(Throttle throttle) {
        assertThat(throttle.snapshot().blocked()).isZero();
        assertThat(throttle.snapshot().sleep()).isZero();
        assertThat(throttle.snapshot().rateLimit()).isPositive().isInfinite();
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anEmptyAccountIsToldAtOnceWithOneRequestAndSlowsNobody(Mode mode, Redirect redirect) throws Exception {
        Map<String, String> plain = Map.of("Content-Type", "application/json");
        Map<String, String> timed = Map.of("Content-Type", "application/json", "Retry-After", "3600");
        try (ScriptedServer server = new ScriptedServer(refusal(EMPTY_ACCOUNT, plain), refusal(EMPTY_ACCOUNT, timed))) {
            ThrottlingHttpClient client = client(redirect);
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            for (int i = 1; i <= 2; i++) {
                HttpResponse<String> response = mode.send(client, request, BodyHandlers.ofString());
                assertThat(response.statusCode()).isEqualTo(429);
                assertThat(response.body()).isEqualTo(EMPTY_ACCOUNT);
                assertThat(server.hits()).isEqualTo(i);
                assertNotSlowed(throttle());
            }
            for (int i = 0; i < 20; i++) {
                assertThat(mode.send(client, request, BodyHandlers.ofString()).statusCode())
                        .isEqualTo(200);
            }
        }
        assertThat(throttle().count(Outcome.DENIED)).isEqualTo(2);
        assertThat(throttle().count(Outcome.RATE_LIMITED)).isZero();
        assertThat(throttle().snapshot().notRetried()).containsEntry(StopReason.PERMANENT, 2L);
        assertNotSlowed(throttle());
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aRefusalInJsonThatATimeMendsIsWaitedOut(Mode mode, Redirect redirect) throws Exception {
        Map<String, String> headers = Map.of("Content-Type", "application/json", "Retry-After-Ms", "30");
        try (ScriptedServer server =
                new ScriptedServer(refusal("{\"error\":{\"code\":\"rate_limit_exceeded\"}}", headers))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThat(mode.send(client(redirect), request, BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(throttle().count(Outcome.RATE_LIMITED)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aServerThatSaysNoIsNotAskedAgainButItsTimeHolds(Mode mode) throws Exception {
        Map<String, String> headers = Map.of("x-should-retry", "false", "Retry-After", "60");
        try (ScriptedServer server = new ScriptedServer(refusal("", headers))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            assertThat(mode.send(client(Redirect.NEVER), request, BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(429);
            assertThat(server.hits()).isEqualTo(1);
        }
        assertThat(throttle().count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle().snapshot().notRetried()).containsEntry(StopReason.PERMANENT, 1L);
        assertThat(throttle().snapshot().blocked()).isGreaterThan(Duration.ofSeconds(10));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aServerThatSaysYesIsAskedAgainWithAPost(Mode mode, Redirect redirect) throws Exception {
        Reply overloaded = Reply.of(503, "");
        Reply inviting = new Reply(503, new byte[0], Map.of("x-should-retry", "true", "Retry-After-Ms", "20"));
        try (ScriptedServer server = new ScriptedServer(overloaded, inviting)) {
            ThrottlingHttpClient client = client(redirect);
            HttpRequest post = HttpRequest.newBuilder(server.uri())
                    .POST(BodyPublishers.ofString("{}"))
                    .build();
            assertThat(mode.send(client, post, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(503);
            assertThat(server.hits()).isEqualTo(1);
            assertThat(mode.send(client, post, BodyHandlers.ofString()).statusCode())
                    .isEqualTo(200);
            assertThat(server.hits()).isEqualTo(3);
        }
    }
}
