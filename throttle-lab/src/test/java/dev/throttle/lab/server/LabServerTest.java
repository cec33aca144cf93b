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
}
