package dev.throttle.lab.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page's server against a real Prometheus endpoint. */
@Timeout(60)
class WatchServerTest {

    private static final Duration OFTEN = Duration.ofMillis(10);

    private final HttpClient client = HttpClient.newHttpClient();

    private HttpResponse<String> get(URI uri) throws Exception {
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** {@return the first sample from a number on, once there is one} */
    private Map<String, Object> sample(WatchServer server, long since) {
        Map<String, Object> answer = await().until(
                        () -> JSON.std.mapFrom(get(server.uri().resolve("/samples?since=" + since))
                                .body()),
                        answered -> !samples(answered).isEmpty());
        List<?> samples = samples(answer);
        assertThat(((Number) answer.get("next")).longValue()).isEqualTo(since + samples.size());
        return map(samples.get(0));
    }

    private static List<?> samples(Map<String, Object> answer) {
        return (List<?>) answer.get("samples");
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @Test
    void showsQuotaSleepQueueAndRequestsOfEachKey() throws Exception {
        try (WatchedApplication application = new WatchedApplication()) {
            application.request("a", 42);
            application.request("b", 7);
            try (WatchServer server = WatchServer.start(application.metrics(), 0, OFTEN)) {
                Map<String, Object> sample = sample(server, 0);
                assertThat(sample.get("error")).isNull();
                assertThat((List<?>) sample.get("throttles"))
                        .extracting(each ->
                                map(each).get("throttle") + " " + map(each).get("key"))
                        .containsExactlyInAnyOrder("shop a", "shop b");
                Map<String, Object> a = ((List<?>) sample.get("throttles"))
                        .stream()
                                .map(WatchServerTest::map)
                                .filter(each -> "a".equals(each.get("key")))
                                .findFirst()
                                .orElseThrow();
                assertThat(map(a.get("quota"))).containsEntry("hourly", 42.0);
                assertThat(map(a.get("requests"))).containsEntry("success", 1.0).containsEntry("throttled", 0.0);
                assertThat(map(a.get("queue"))).containsEntry("waiting", 0.0).containsEntry("on the wire", 0.0);
                assertThat(map(a.get("sleep"))).containsKeys("sleep", "gate closed");
            }
        }
    }

    @Test
    void laterSamplesTellWhatHasChanged() throws Exception {
        try (WatchedApplication application = new WatchedApplication();
                WatchServer server = WatchServer.start(application.metrics(), 0, OFTEN)) {
            assertThat((List<?>) sample(server, 0).get("throttles")).isEmpty();
            application.request("a", 42);
            Map<String, Object> sample = Map.of();
            for (long since = 1; !sample.toString().contains("hourly"); since++) {
                sample = sample(server, since);
            }
            assertThat(sample.toString()).contains("hourly=42.0");
        }
    }

    @Test
    void saysWhyNothingCanBeRead() throws Exception {
        try (WatchedApplication application = new WatchedApplication();
                WatchServer server = WatchServer.start(application.uri("/nothing"), 0, OFTEN)) {
            assertThat(sample(server, 0).get("error")).isEqualTo("it answered 404");
        }
        URI gone;
        try (WatchedApplication application = new WatchedApplication()) {
            gone = application.metrics();
        }
        try (WatchServer server = WatchServer.start(gone, 0, OFTEN)) {
            assertThat(String.valueOf(sample(server, 0).get("error")))
                    .startsWith("it cannot be read: nothing listens there");
        }
    }

    @Test
    void servesAPageThatNeedsNothingFromOutside() throws Exception {
        URI hostile = URI.create("http://127.0.0.1:1/metrics?b=1&a=%22");
        try (WatchServer server = WatchServer.start(hostile, 0, OFTEN)) {
            HttpResponse<String> page = get(server.uri().resolve("/"));
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.body()).contains("&amp;a=").doesNotContain("src=").doesNotContain("{{");
            assertThat(get(server.uri().resolve("/other")).statusCode()).isEqualTo(404);
            assertThat(server.uri().getHost()).isEqualTo("127.0.0.1");
        }
    }

    @Test
    void refusesAForeignHostName() throws Exception {
        try (WatchServer server = WatchServer.start(URI.create("http://127.0.0.1:1/"), 0, OFTEN)) {
            assertThat(statusOf(server, "rebound.example:" + server.uri().getPort()))
                    .contains("403");
            assertThat(statusOf(server, "localhost:" + server.uri().getPort())).contains("200");
        }
    }

    @Test
    void knowsItsHostNameWithoutThePortOfHttp() {
        assertThat(WatchServer.isLocal("localhost", 80)).isTrue();
        assertThat(WatchServer.isLocal("127.0.0.1", 80)).isTrue();
        assertThat(WatchServer.isLocal("localhost:80", 80)).isTrue();
        assertThat(WatchServer.isLocal("rebound.example", 80)).isFalse();
        assertThat(WatchServer.isLocal("localhost", 8080)).isFalse();
        assertThat(WatchServer.isLocal(null, 80)).isFalse();
    }

    @Test
    void showsNoPassword() throws Exception {
        URI secret = URI.create("http://user:pass%40word@127.0.0.1:1/metrics?a=%26");
        try (WatchServer server = WatchServer.start(secret, 0, OFTEN)) {
            assertThat(get(server.uri().resolve("/")).body())
                    .contains("http://127.0.0.1:1/metrics?a=%26")
                    .doesNotContain("user:")
                    .doesNotContain("word@");
        }
    }

    private static String statusOf(WatchServer server, String host) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            String request = "GET /samples HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.lines().findFirst().orElse("");
        }
    }

    @Test
    void keepsAQuarterOfAnHour() throws Exception {
        History history = new History();
        for (int i = 0; i < 1000; i++) {
            history.add(String.valueOf(i));
        }
        Map<String, Object> all = JSON.std.mapFrom(history.since(0));
        assertThat((List<?>) all.get("samples")).hasSize(900).first().isEqualTo(100);
        assertThat(all.get("next")).isEqualTo(1000);
        assertThat((List<?>) JSON.std.mapFrom(history.since(998)).get("samples"))
                .isEqualTo(List.of(998, 999));
        assertThat((List<?>) JSON.std.mapFrom(history.since(5000)).get("samples"))
                .isEmpty();
    }
}
