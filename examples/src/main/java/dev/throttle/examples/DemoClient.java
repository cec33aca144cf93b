package dev.throttle.examples;

import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.micrometer.ThrottleMetrics;
import dev.throttle.okhttp.ThrottlingInterceptor;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** One process of the demo: an HTTP client with its throttle, and the gauges that tell what it does. */
final class DemoClient {

    private final String name;
    private final Sender sender;
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final LongAdder refusalsSeen = new LongAdder();

    private DemoClient(String name, ThrottleRegistry throttles, Sender sender) {
        this.name = name;
        this.sender = sender;
        new ThrottleMetrics(throttles).bindTo(registry);
    }

    static DemoClient okHttp(URI uri, ThrottleRegistry throttles) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles);
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        Request request = new Request.Builder().url(uri.toString()).build();
        return new DemoClient("okhttp", throttles, () -> {
            try (Response response = client.newCall(request).execute()) {
                return response.code();
            }
        });
    }

    static DemoClient jdk(URI uri, ThrottleRegistry throttles) {
        HttpClient client = ThrottlingHttpClient.newBuilder(HttpClient.newHttpClient())
                .throttles(throttles)
                .build();
        HttpRequest request =
                HttpRequest.newBuilder(uri).version(HttpClient.Version.HTTP_1_1).build();
        return new DemoClient(
                "jdk",
                throttles,
                () -> client.send(request, BodyHandlers.discarding()).statusCode());
    }

    /** Sends one request and, if the throttle repeats it, the repetitions. */
    void send() throws IOException, InterruptedException {
        if (sender.send() == 429) {
            refusalsSeen.increment();
        }
    }

    String name() {
        return name;
    }

    /** {@return refusals that got through to the program} */
    long refusalsSeen() {
        return refusalsSeen.sum();
    }

    Duration sleep() {
        return Duration.ofNanos((long) number(find("throttle.sleep"), 1e9));
    }

    long remaining() {
        return (long) number(find("throttle.quota.remaining"), 1);
    }

    long waiting() {
        return (long) number(find("throttle.waiting"), 1);
    }

    long refused() {
        return count("throttled");
    }

    long served() {
        return count("success");
    }

    /** {@return requests that went out and were answered} */
    long requests() {
        return served() + refused();
    }

    Duration longestWait() {
        double millis = 0;
        for (var timer : find("throttle.wait").timers()) {
            millis = Math.max(millis, timer.max(TimeUnit.MILLISECONDS));
        }
        return Duration.ofMillis(Math.round(millis));
    }

    private Search find(String meter) {
        return registry.find(meter);
    }

    private static double number(Search meter, double scale) {
        var gauge = meter.gauge();
        return gauge == null ? 0 : gauge.value() * scale;
    }

    private long count(String outcome) {
        var counter = find("throttle.requests").tag("outcome", outcome).functionCounter();
        return counter == null ? 0 : (long) counter.count();
    }

    /** Sends a request and returns the status of the answer. */
    private interface Sender {
        int send() throws IOException, InterruptedException;
    }
}
