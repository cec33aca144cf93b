package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.control.Strategies;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Outcome;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client whose throttles only observe does what it does without them. */
class ObserveTest {

    private static final String BODY = "{\"error\": \"slow down\"}";

    private final ThrottleRegistry throttles = ThrottleRegistry.builder()
            .mode(ThrottleMode.OBSERVE)
            .limit(Strategies.tokenBucket().rate(1, Duration.ofHours(1)).build())
            .build();

    private static Reply refusal(int status) {
        return new Reply(
                status,
                BODY.getBytes(StandardCharsets.UTF_8),
                Map.of("Retry-After", "3600", "Content-Type", "application/json"));
    }

    @ParameterizedTest
    @EnumSource
    void refusalsComeAtOnceWithTheirBodiesAndNothingIsRetried(Mode mode) throws Exception {
        HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .build();
        try (ScriptedServer server = new ScriptedServer()) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            for (int status : new int[] {429, 503, 429}) {
                server.then(refusal(status));
                HttpResponse<String> response = mode.send(client, request, BodyHandlers.ofString());
                assertThat(response.statusCode()).isEqualTo(status);
                assertThat(response.body()).isEqualTo(BODY);
            }
            server.then(Reply.of(200, ""));
            assertThat(mode.send(client, request, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
        }
        assertThat(throttles.all()).singleElement().satisfies(throttle -> {
            assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(2);
            assertThat(throttle.snapshot().blocked()).isPositive();
            assertThat(throttle.snapshot().retried()).isZero();
        });
        assertThat(throttles.reports().get(0).calls()).isEqualTo(4);
    }
}
