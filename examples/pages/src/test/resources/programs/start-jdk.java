// page: docs/start.md
// and: io.micrometer:micrometer-registry-prometheus:${micrometer.version}
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

public class Main {
    public static void main(String[] args) throws Exception {
        // snippet with ThrottlingHttpClient.newBuilder(
        watch(throttles);
        HttpRequest request = HttpRequest.newBuilder(URI.create(args[0])).build();
        System.out.println(client.send(request, BodyHandlers.ofString()).body());
        bound();
        System.exit(0);
    }

    static void bound() {
        // snippet with .maxWait(Duration.ofSeconds(30))
    }

    static void watch(ThrottleRegistry throttles) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        // snippet with new ThrottleMetrics(throttles)
        // snippet with explainWait()
        System.out.println(registry.scrape());
    }
}
