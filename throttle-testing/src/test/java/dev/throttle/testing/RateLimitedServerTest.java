package dev.throttle.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.throttle.testing.RateLimitedServer.Headers;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimitedServerTest {

    private final HttpClient client = HttpClient.newHttpClient();
    private final VirtualTime time = new VirtualTime();

    private HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("none");
    }

    @Test
    void aWindowIsRenewedAtItsEnd() throws Exception {
        try (RateLimitedServer server = RateLimitedServer.builder()
                .window(2, Duration.ofMinutes(1))
                .time(time)
                .start()) {
            assertThat(get(server.uri("/a")).statusCode()).isEqualTo(200);
            time.advance(Duration.ofSeconds(20));
            HttpResponse<String> second = get(server.uri("/b"));
            assertThat(header(second, "X-RateLimit-Limit")).isEqualTo("2");
            assertThat(header(second, "X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(header(second, "X-RateLimit-Reset")).isEqualTo("40");
            assertThat(header(second, "Retry-After")).isEqualTo("none");
            HttpResponse<String> third = get(server.uri("/c"));
            assertThat(third.statusCode()).isEqualTo(429);
            assertThat(header(third, "Retry-After")).isEqualTo("40");
            time.advance(Duration.ofSeconds(40));
            assertThat(get(server.uri("/d")).statusCode()).isEqualTo(200);
            assertThat(server.accepted()).isEqualTo(3);
            assertThat(server.refused()).isEqualTo(1);
        }
    }

    @Test
    void aBucketFillsSteadily() throws Exception {
        try (RateLimitedServer server = RateLimitedServer.builder()
                .bucket(2, Duration.ofSeconds(20))
                .headers(Headers.RATELIMIT)
                .time(time)
                .start()) {
            get(server.uri("/"));
            HttpResponse<String> second = get(server.uri("/"));
            assertThat(header(second, "RateLimit")).isEqualTo("\"default\";r=0;t=20");
            assertThat(header(second, "RateLimit-Policy")).isEqualTo("\"default\";q=2;w=20");
            assertThat(header(get(server.uri("/")), "Retry-After")).isEqualTo("10");
            time.advance(Duration.ofSeconds(10));
            assertThat(get(server.uri("/")).statusCode()).isEqualTo(200);
            assertThat(get(server.uri("/")).statusCode()).isEqualTo(429);
        }
    }

    @Test
    void refusalsMayBeScripted() throws Exception {
        try (RateLimitedServer server = RateLimitedServer.builder()
                .headers(Headers.NONE)
                .retryAfter(false)
                .time(time)
                .start()) {
            server.refuseNext(1, 503, Duration.ofSeconds(7));
            HttpResponse<String> busy = get(server.uri("/"));
            assertThat(busy.statusCode()).isEqualTo(503);
            assertThat(header(busy, "Retry-After")).isEqualTo("7");
            HttpResponse<String> after = get(server.uri("/"));
            assertThat(after.statusCode()).isEqualTo(200);
            assertThat(header(after, "X-RateLimit-Remaining")).isEqualTo("none");
        }
    }

    @Test
    void aClosedServerIsGone() {
        RateLimitedServer server = RateLimitedServer.builder().start();
        URI uri = server.uri("/");
        server.close();
        assertThatThrownBy(() -> get(uri)).isInstanceOf(ConnectException.class);
    }

    @Test
    void aLimitOfNothingIsRefused() {
        assertThatThrownBy(() -> RateLimitedServer.builder().window(0, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the limit must be at least 1 request in a duration above zero, but was 0 in PT1S");
    }
}
