package dev.throttle.lab.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.page.Browser;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The live page in a real browser: needs Chromium, and runs in the profile "browser". */
@Timeout(300)
class WatchPageBrowserCheck {

    @TempDir
    private Path folder;

    @Test
    void drawsQuotaSleepQueueAndRequestsOfAThrottle() throws Exception {
        try (WatchedApplication application = new WatchedApplication()) {
            application.request("api.example.com", 42);
            try (WatchServer server = WatchServer.start(application.metrics(), 0, Duration.ofMillis(50))) {
                awaitSamples(server, 1);
                application.request("api.example.com", 41);
                awaitSamples(server, 20);
                String dom = new Browser(folder).dom(server.uri().toString());
                assertThat(text(dom, "h2")).isEqualTo("shop · api.example.com");
                assertThat(text(dom, "p class=\"hint\"")).startsWith("hourly 41 left, sleep ");
                assertThat(Pattern.compile("<canvas").matcher(dom).results()).hasSize(4);
            }
        }
    }

    private static String text(String dom, String element) {
        var matcher = Pattern.compile("<" + element + ">([^<]*)<").matcher(dom);
        assertThat(matcher.find()).as(element).isTrue();
        return matcher.group(1);
    }

    private static void awaitSamples(WatchServer server, int count) throws Exception {
        URI samples = server.uri().resolve("/samples?since=" + (count - 1));
        HttpRequest request = HttpRequest.newBuilder(samples).build();
        HttpClient client = HttpClient.newHttpClient();
        while (client.send(request, HttpResponse.BodyHandlers.ofString()).body().contains("\"samples\":[]")) {
            Thread.sleep(50);
        }
    }
}
