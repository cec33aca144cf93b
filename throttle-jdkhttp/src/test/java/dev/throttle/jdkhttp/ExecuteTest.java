package dev.throttle.jdkhttp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.Throttle;
import dev.throttle.jdkhttp.ScriptedServer.Reply;
import dev.throttle.signal.Outcome;
import dev.throttle.testing.VirtualTime;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A throttle around a client that knows nothing of it. */
class ExecuteTest {

    @Test
    void aRefusalIsLearnedFrom() throws Exception {
        VirtualTime time = VirtualTime.autoAdvancing();
        Throttle throttle =
                Throttle.builder().time(time).retryAfterJitter(0, Duration.ZERO).build();
        HttpClient client = HttpClient.newHttpClient();
        long start = time.nanoTime();
        try (ScriptedServer server = new ScriptedServer(Reply.of(429, "later").with("Retry-After", "60"))) {
            HttpRequest request = HttpRequest.newBuilder(server.uri()).build();
            HttpResponse<String> response = throttle.execute(() -> client.send(request, BodyHandlers.ofString()));
            assertThat(response.body()).isEqualTo("{}");
            assertThat(server.hits()).isEqualTo(2);
        }
        assertThat(Duration.ofNanos(time.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(60));
        assertThat(throttle.count(Outcome.RATE_LIMITED)).isEqualTo(1);
        assertThat(throttle.count(Outcome.SUCCESS)).isEqualTo(1);
    }
}
