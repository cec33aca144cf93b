package dev.throttle.lab.watch;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;

/** Reads one address again and again, and no other: redirects are not followed. */
final class Scraper {

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_BYTES = 16 << 20;
    private static final int OK = 200;

    private final HttpClient client = HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(PATIENCE)
            .build();
    private final HttpRequest request;
    private final InstantSource clock;

    Scraper(URI address, InstantSource clock) {
        this.request = HttpRequest.newBuilder(address)
                .header("Accept", "text/plain;version=0.0.4")
                .timeout(PATIENCE)
                .build();
        this.clock = clock;
    }

    /** {@return what the address says now, or why it says nothing} */
    String scrape() throws InterruptedException {
        try {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                if (response.statusCode() != OK) {
                    return Sample.failed(clock.millis(), "it answered " + response.statusCode());
                }
                byte[] bytes = body.readNBytes(MOST_BYTES);
                return Sample.of(clock.millis(), new String(bytes, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            String why = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
            return Sample.failed(clock.millis(), "it cannot be read: " + why);
        }
    }
}
