package dev.throttle.examples;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.micrometer.ThrottleMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

/** The gauges of a throttled client, served to Prometheus on loopback. */
public final class PrometheusExample {

    private PrometheusExample() {}

    /**
     * Calls an API once, and shows what Prometheus would see.
     *
     * @param args the API's address; by default a small server is started
     * @throws Exception if the API cannot be reached
     */
    public static void main(String[] args) throws Exception {
        ExampleServer.with(args, PrometheusExample::run);
    }

    static String run(URI api) throws IOException, InterruptedException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ThrottleRegistry throttles = ThrottleRegistry.builder().name("items").build();
        new ThrottleMetrics(throttles).bindTo(registry);
        HttpServer metrics = serve(registry);
        try {
            HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                    .throttles(throttles)
                    .build();
            client.send(HttpRequest.newBuilder(api.resolve("items/42")).build(), BodyHandlers.ofString());
            URI scrape = URI.create("http://127.0.0.1:" + metrics.getAddress().getPort() + "/metrics");
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(scrape).build(), BodyHandlers.ofString())
                    .body();
        } finally {
            metrics.stop(0);
        }
    }

    static HttpServer serve(PrometheusMeterRegistry registry) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            try (exchange) {
                byte[] body = registry.scrape().getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        server.start();
        return server;
    }
}
