package dev.throttle.examples;

import com.sun.net.httpserver.HttpServer;
import dev.throttle.CallOptions;
import dev.throttle.Priority;
import dev.throttle.ThrottleRegistry;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.micrometer.ThrottleMetrics;
import dev.throttle.lease.Fleet;
import dev.throttle.redis.RedisFleet;
import dev.throttle.lease.FleetMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * One of two JVMs that Prometheus watches. It calls two APIs, for a job and for people, prints the port of its metrics,
 * and runs until its standard input ends, as it does when the one who started it dies.
 */
final class MonitoredProgram {

    private MonitoredProgram() {}

    /** Takes the addresses of an API that tells its quota, of one that only refuses, and of Redis. */
    public static void main(String[] args) throws Exception {
        URI orders = URI.create(args[0]);
        URI search = URI.create(args[1]);
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        meters.config().meterFilter(percentilesOfWaits());
        Fleet fleet = RedisFleet.builder("shop", args[2]).build();
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .name("shop")
                .label(key -> key.endsWith(":" + orders.getPort()) ? "orders" : "search")
                .limit(fleet.tokenBucket(20, Duration.ofSeconds(1)).build())
                .limit(Strategies.inFlight().limit(6).build())
                .build();
        fleet.join(throttles);
        new ThrottleMetrics(throttles).bindTo(meters);
        new FleetMetrics(fleet).bindTo(meters);
        HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .options(MonitoredProgram::options)
                .build();
        for (int i = 0; i < 4; i++) {
            repeat(client, orders.resolve("/job"), 0);
        }
        repeat(client, orders.resolve("/person"), 1000);
        repeat(client, search.resolve("/person"), 200);
        HttpServer metrics = PrometheusExample.serve(meters);
        System.out.println(metrics.getAddress().getPort());
        while (System.in.read() >= 0) {
            // nothing is said there
        }
        System.exit(0); // the callers are in the middle of something
    }

    private static CallOptions options(HttpRequest request) {
        boolean isPerson = request.uri().getPath().equals("/person");
        return isPerson
                ? CallOptions.DEFAULT.priority(Priority.INTERACTIVE).maxWait(Duration.ofSeconds(2))
                : CallOptions.DEFAULT.priority(Priority.BATCH);
    }

    private static void repeat(HttpClient client, URI uri, int pauseMillis) {
        Thread caller = new Thread(
                () -> {
                    try {
                        while (true) {
                            send(client, uri);
                            if (pauseMillis > 0) {
                                TimeUnit.MILLISECONDS.sleep(
                                        ThreadLocalRandom.current().nextInt(2 * pauseMillis));
                            }
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "caller of " + uri);
        caller.setDaemon(true);
        caller.start();
    }

    private static void send(HttpClient client, URI uri) throws InterruptedException {
        try {
            client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
        } catch (ThrottleRejectedException e) {
            TimeUnit.MILLISECONDS.sleep(500); // a person goes away
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    private static MeterFilter percentilesOfWaits() {
        return new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return id.getName().equals("throttle.wait")
                        ? DistributionStatisticConfig.builder()
                                .percentilesHistogram(true)
                                .build()
                                .merge(config)
                        : config;
            }
        };
    }
}
