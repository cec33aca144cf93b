package dev.throttle.examples;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.ThrottleRegistry;
import dev.throttle.micrometer.ThrottleMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;

/** The metrics of the demo's throttles for Prometheus, or for {@code throttle-lab watch}. */
final class DemoMetrics implements AutoCloseable {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpServer http = PrometheusExample.serve(registry);

    DemoMetrics() throws IOException {}

    void show(ThrottleRegistry throttles) {
        new ThrottleMetrics(throttles).bindTo(registry);
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/metrics");
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
