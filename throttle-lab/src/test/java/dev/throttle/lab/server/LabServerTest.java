package dev.throttle.lab.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LabServerTest {

    @Test
    void headersCountInTheClientsSeconds() throws Exception {
        ServerSpec spec = new ServerSpec(ServerKind.FIXED_WINDOW, 5, Duration.ofHours(1), 0L, HeaderStyle.IETF, true);
        try (LabServer server = LabServer.start(0, spec, Duration.ZERO, 10)) {
            HttpResponse<String> response = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(server.uri()).build(), HttpResponse.BodyHandlers.ofString());

            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(response.headers().firstValue("RateLimit-Policy")).contains("\"default\";q=5;w=360");
            assertThat(response.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(300L, 360L);
        }
    }

    @Test
    void itListensOnLoopbackOnly() throws Exception {
        ServerSpec spec = new ServerSpec(ServerKind.GCRA, 5, Duration.ofHours(1), null, HeaderStyle.NONE, false);
        try (LabServer server = LabServer.start(0, spec, Duration.ZERO, 1)) {
            URI uri = server.uri();

            assertThat(uri.getHost()).isEqualTo("127.0.0.1");
            assertThat(uri.getPort()).isPositive();
        }
    }

    @Test
    void aServerThatCountsCostsTellsThemAsUsage() throws Exception {
        TokenLimits limits = new TokenLimits("tokens", 3000, Duration.ofHours(1), true, null, Charge.ARRIVAL);
        ServerSpec spec = new ServerSpec(
                ServerKind.LLM,
                10,
                Duration.ofHours(1),
                null,
                HeaderStyle.OPENAI,
                false,
                HeaderLie.NONE,
                ServerScript.NONE,
                limits);
        try (LabServer server = LabServer.start(0, spec, Duration.ZERO, 1, () -> 2000)) {
            HttpClient client = HttpClient.newHttpClient();
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            HttpResponse.BodyHandler<String> text = HttpResponse.BodyHandlers.ofString();

            HttpResponse<String> first = client.send(request, text);
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.body()).isEqualTo("{\"usage\":{\"total_tokens\":2000}}\n");
            assertThat(first.headers().firstValue("x-ratelimit-remaining-tokens"))
                    .contains("1000");
            assertThat(client.send(request, text).statusCode()).isEqualTo(429);
        }
    }
}
