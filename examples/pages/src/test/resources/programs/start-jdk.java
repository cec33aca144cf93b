// page: docs/start.md
// and: io.micrometer:micrometer-registry-prometheus:${micrometer.version}
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import dev.throttle.ThrottleRejectedException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

public class Main {
    public static void main(String[] args) throws Exception {
        // snippet with ThrottlingHttpClient.newBuilder(
        watch(throttles);
        HttpRequest request = HttpRequest.newBuilder(URI.create(args[0])).build();
        System.out.println(client.send(request, BodyHandlers.ofString()).body());
        bound();
        handle(client, request);
        System.exit(0);
    }

    static void bound() {
        // snippet with .maxWait(Duration.ofSeconds(30))
    }

    static void handle(HttpClient client, HttpRequest request) throws Exception {
        // snippet with catch (ThrottleRejectedException e)
    }

    static void show(String text) {
        System.out.println(text);
    }

    static void watch(ThrottleRegistry throttles) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        // snippet with new ThrottleMetrics(throttles)
        // snippet with explainWait()
        System.out.println(registry.scrape());
    }
}
