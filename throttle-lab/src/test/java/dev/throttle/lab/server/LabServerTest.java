package dev.throttle.lab.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
                ServerKind.LLM, 10, Duration.ofHours(1), null, HeaderStyle.OPENAI, false, ServerScript.NONE, limits);
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

    @Test
    void connectionsHaveLimitsOfTheirOwn() throws Exception {
        ServerSpec spec =
                new ServerSpec(ServerKind.PER_CONNECTION, 1, Duration.ofHours(1), null, HeaderStyle.NONE, false);
        try (LabServer server = LabServer.start(0, spec, Duration.ZERO, 1)) {
            HttpRequest request = HttpRequest.newBuilder(server.uri())
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();
            HttpClient keepsItsConnection = HttpClient.newHttpClient();
            HttpResponse.BodyHandler<String> text = HttpResponse.BodyHandlers.ofString();

            assertThat(keepsItsConnection.send(request, text).statusCode()).isEqualTo(200);
            assertThat(keepsItsConnection.send(request, text).statusCode()).isEqualTo(429);
            assertThat(answer(request)).isEqualTo("200");
        }
    }

    @Test
    void whileItRestartsConnectionsAreRefusedAndThenAllCountsAreForgotten() throws Exception {
        ServerSpec spec = restarting(Duration.ofSeconds(10), Duration.ofSeconds(10));
        List<String> seen = new ArrayList<>();
        try (LabServer server = LabServer.start(0, spec, Duration.ZERO, 10)) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            seen.add(answer(request));
            await().atMost(Duration.ofSeconds(20))
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> seen.add(answer(request)) && seen.contains("200"));
        }

        // Nothing was left at the start, and the window lasts for minutes.
        assertThat(seen).contains("refused").endsWith("200").isSubsetOf("429", "cut off", "refused", "200");
    }

    @Test
    void whileAnotherProgramHasItsPortItWaitsAndThenComesBack() throws Exception {
        ServerSpec spec = restarting(Duration.ofSeconds(1), Duration.ofSeconds(5));
        try (LabServer server = LabServer.start(0, spec, Duration.ZERO, 10)) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> answer(request).equals("refused"));
            long refusedAt = System.nanoTime();
            try (ServerSocket other = new ServerSocket()) {
                other.bind(new InetSocketAddress("127.0.0.1", server.uri().getPort()));
                await().until(() -> System.nanoTime() - refusedAt > 600_000_000); // longer than the restart takes
            }
            await().pollInterval(Duration.ofMillis(5))
                    .until(() -> answer(request).equals("200"));
        }
    }

    /** {@return a window of one request that nothing is left of until the server has restarted} */
    private static ServerSpec restarting(Duration at, Duration length) {
        ServerScript restart = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(Outage.restart(at, length)),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        return new ServerSpec(ServerKind.FIXED_WINDOW, 1, Duration.ofHours(1), 0L, HeaderStyle.NONE, false, restart);
    }

    /** {@return the status, or that there was no connection} Each request has a connection of its own. */
    private static String answer(HttpRequest request) throws Exception {
        HttpURLConnection connection = (HttpURLConnection) request.uri().toURL().openConnection();
        connection.setRequestProperty("Connection", "close");
        try {
            return Integer.toString(connection.getResponseCode());
        } catch (ConnectException e) {
            return "refused";
        } catch (SocketException e) {
            return "cut off"; // it was connected when the server went
        } finally {
            connection.disconnect();
        }
    }
}
