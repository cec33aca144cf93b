package dev.throttle.lab.watch;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.Permit;
import dev.throttle.ThrottleRegistry;
import dev.throttle.micrometer.ThrottleMetrics;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Quota;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An application with a throttle, and its metrics for Prometheus. */
final class WatchedApplication implements AutoCloseable {

    private final PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ThrottleRegistry throttles =
            ThrottleRegistry.builder().name("shop").build();
    private final HttpServer http;

    WatchedApplication() throws IOException {
        new ThrottleMetrics(throttles).bindTo(metrics);
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/metrics", exchange -> {
            try (exchange) {
                byte[] body = metrics.scrape().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        http.start();
    }

    URI metrics() {
        return uri("/metrics");
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + path);
    }

    /** A request is answered, with so much left of the quota. */
    void request(String key, long remaining) throws Exception {
        Permit permit = throttles.get(key).acquire();
        Quota quota = new Quota("hourly", 100L, remaining, null, null, Quota.REQUESTS, null);
        permit.complete(Signal.of(Outcome.SUCCESS, new RateHints(null, List.of(quota))));
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
