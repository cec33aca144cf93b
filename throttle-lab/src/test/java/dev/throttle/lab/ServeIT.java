package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServeIT {

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(URI uri) throws Exception {
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void itAnswersLikeTheSimulatedServerAndCounts() throws Exception {
        Process process = Jar.start(
                        "serve --server decrease-only --capacity 3 --headers ietf --latency 20ms".split(" "))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String first = out.readLine();
            assertThat(first).matches("listening on http://127\\.0\\.0\\.1:[0-9]+");
            URI uri = URI.create(first.substring(first.lastIndexOf(' ') + 1));
            for (int left = 2; left >= 0; left--) {
                HttpResponse<String> response = get(uri.resolve("/any?thing"));
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.headers().firstValue("RateLimit")).contains("\"default\";r=" + left);
            }
            assertThat(get(uri).statusCode()).isEqualTo(429);
            Map<String, Object> stats =
                    JSON.std.mapFrom(get(uri.resolve("/stats")).body());
            assertThat(stats)
                    .containsEntry("requests", 4)
                    .containsEntry("accepted", 3)
                    .containsEntry("refused", 1)
                    .containsEntry("remaining", 0);
        } finally {
            process.destroy();
            Jar.await(process);
        }
    }

    @Test
    void aPortThatIsTakenFailsTheRun() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))) {
            Jar.Result result = Jar.run("", "serve", "--port", String.valueOf(taken.getLocalPort()));

            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains("in use").hasLineCount(1);
        }
    }
}
