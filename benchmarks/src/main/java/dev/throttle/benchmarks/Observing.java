package dev.throttle.benchmarks;

import dev.throttle.ThrottleMode;
import dev.throttle.ThrottleRegistry;
import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import okhttp3.OkHttpClient;

/**
 * What a throttle that only observes adds to a request over loopback sockets: beside the bare client, and beside one
 * that enforces.
 */
final class Observing {

    private static final int MOST_PAIRS = 1000;
    private static final Duration LONGEST_REQUEST = Duration.ofSeconds(30);

    private Observing() {}

    /**
     * Runs the measurement.
     *
     * @param arguments the scale
     */
    public static void main(String[] arguments) throws Exception {
        Scale scale = Scale.valueOf(arguments[0]);
        Duration time = Duration.ofSeconds(scale.of(20, 1));
        EndToEnd.withServer(port -> measure(port, time, scale.of(400, 100), System.out));
        System.exit(0); // the clients' threads would live on for a while
    }

    private static void measure(int port, Duration time, int requests, PrintStream out) throws Exception {
        Table table = new Table(
                out,
                "first and second client, response",
                "requests/s first",
                "second",
                "p50 us first",
                "second",
                "p99 us first",
                "second",
                "time per request, ratio",
                "p50, ratio",
                "CPU us first",
                "more CPU second, us");
        URI quotas = EndToEnd.uri(port, TinyServer.QUOTA);
        for (EndToEnd.Pair pair : pairs(quotas)) { // so that the first rows find all compiled
            new PairedBlocks(pair, 1, requests).run(time.dividedBy(2), MOST_PAIRS);
        }
        for (String path : List.of(EndToEnd.PLAIN, TinyServer.QUOTA)) {
            for (EndToEnd.Pair pair : pairs(EndToEnd.uri(port, path))) {
                PairedBlocks blocks = new PairedBlocks(pair, 1, requests);
                table.row(blocks.run(time, MOST_PAIRS).cells(pair.name() + ", " + path.substring(1)));
            }
        }
    }

    private static List<EndToEnd.Pair> pairs(URI uri) {
        OkHttpClient plain = new OkHttpClient();
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(LONGEST_REQUEST).build();
        return List.of(
                new EndToEnd.Pair(
                        "OkHttp: bare, bare", EndToEnd.sender(plain, uri), EndToEnd.sender(new OkHttpClient(), uri)),
                new EndToEnd.Pair(
                        "OkHttp: bare, observing", EndToEnd.sender(plain, uri), okHttp(ThrottleMode.OBSERVE, uri)),
                new EndToEnd.Pair(
                        "OkHttp: enforcing, observing",
                        okHttp(ThrottleMode.ENFORCE, uri),
                        okHttp(ThrottleMode.OBSERVE, uri)),
                new EndToEnd.Pair(
                        "JDK: bare, observing",
                        sender(jdk(), request),
                        sender(
                                ThrottlingHttpClient.newBuilder(jdk())
                                        .throttles(throttles(ThrottleMode.OBSERVE))
                                        .build(),
                                request)));
    }

    private static ThrottleRegistry throttles(ThrottleMode mode) {
        return ThrottleRegistry.builder().mode(mode).build();
    }

    private static EndToEnd.Sender okHttp(ThrottleMode mode, URI uri) {
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(throttles(mode));
        return EndToEnd.sender(
                new OkHttpClient.Builder()
                        .addInterceptor(throttling)
                        .addNetworkInterceptor(throttling.observer())
                        .build(),
                uri);
    }

    private static HttpClient jdk() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static EndToEnd.Sender sender(HttpClient client, HttpRequest request) {
        return () -> client.send(request, BodyHandlers.ofString()).body().length();
    }
}
