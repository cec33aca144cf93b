package dev.throttle.benchmarks;

import dev.throttle.jdkhttp.ThrottlingHttpClient;
import dev.throttle.okhttp.ThrottlingInterceptor;
import java.io.BufferedReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Requests over loopback sockets that stay open, with a bare client and the same client throttled, by turns in short
 * blocks: what the machine does meanwhile meets both.
 */
final class EndToEnd {

    static final String PLAIN = "/plain";
    private static final int MOST_PAIRS = 1000;
    /** OkHttp has one by default. Without it, a request that is never answered would hang the benchmark. */
    private static final Duration LONGEST_REQUEST = Duration.ofSeconds(30);

    private EndToEnd() {}

    /** Sends one request and reads the answer. */
    interface Sender {
        int send() throws Exception;
    }

    /** Measures with a server at a port. */
    interface Measurement {
        void run(int port) throws Exception;
    }

    /**
     * A client twice.
     *
     * @param name the client's name
     * @param bare as it is
     * @param throttled with a throttle, default strategy and metrics
     */
    record Pair(String name, Sender bare, Sender throttled) {}

    /**
     * Runs the measurement.
     *
     * @param arguments the scale
     */
    public static void main(String[] arguments) throws Exception {
        Scale scale = Scale.valueOf(arguments[0]);
        Duration time = Duration.ofSeconds(scale.of(20, 1));
        withServer(port -> measure(port, time, scale.of(400, 100), System.out));
        System.exit(0); // the clients' threads would live on for a while
    }

    /** Measures with a server in a process of its own, which ends with it. */
    static void withServer(Measurement measurement) throws Exception {
        Process server = FreshJvm.start(TinyServer.class, List.of(), "-Xmx256m", "-XX:+UseSerialGC")
                .start();
        try (BufferedReader reader = server.inputReader()) {
            measurement.run(Integer.parseInt(reader.readLine()));
        } finally {
            server.destroy();
        }
    }

    static void measure(int port, Duration time, int requests, PrintStream out) throws Exception {
        Table table = new Table(
                out,
                "client, callers, response",
                "requests/s bare",
                "throttled",
                "p50 us bare",
                "throttled",
                "p99 us bare",
                "throttled",
                "time per request, ratio",
                "p50, ratio",
                "CPU us bare",
                "more CPU throttled, us");
        URI quotas = uri(port, TinyServer.QUOTA);
        for (Pair pair : List.of(okHttp(quotas), jdk(quotas))) { // so that the first rows find all compiled
            new PairedBlocks(pair, 4, requests).run(time, MOST_PAIRS);
        }
        for (String path : List.of(PLAIN, TinyServer.QUOTA)) {
            URI uri = uri(port, path);
            for (int callers : List.of(1, 4)) {
                List<Pair> pairs = new ArrayList<>(List.of(okHttp(uri), jdk(uri)));
                if (callers == 1 && path.equals(PLAIN)) {
                    pairs.addAll(nothings(uri));
                }
                for (Pair pair : pairs) {
                    String name = pair.name + ", " + callers + ", " + path.substring(1);
                    PairedBlocks blocks = new PairedBlocks(pair, callers, requests);
                    table.row(blocks.run(time, MOST_PAIRS).cells(name));
                }
            }
        }
    }

    /** {@return the nanoseconds that each of some requests took, one after another} */
    static double[] send(Sender sender, int requests) throws Exception {
        double[] nanos = new double[requests];
        for (int i = 0; i < requests; i++) {
            long start = System.nanoTime();
            sender.send();
            nanos[i] = System.nanoTime() - start;
        }
        return nanos;
    }

    static URI uri(int port, String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    /** The same with nothing to find: what these say is what chance and the order of things can make. */
    private static List<Pair> nothings(URI uri) {
        return List.of(
                new Pair("OkHttp, both bare", okHttp(uri).bare, okHttp(uri).bare),
                new Pair("JDK, both bare", jdk(uri).bare, jdk(uri).bare));
    }

    static Pair okHttp(URI uri) {
        OkHttpClient bare = new OkHttpClient();
        ThrottlingInterceptor throttling = ThrottlingInterceptor.create(Subjects.perKey());
        OkHttpClient throttled = new OkHttpClient.Builder()
                .addInterceptor(throttling)
                .addNetworkInterceptor(throttling.observer())
                .build();
        return new Pair("OkHttp", sender(bare, uri), sender(throttled, uri));
    }

    static Sender sender(OkHttpClient client, URI uri) {
        Request request = new Request.Builder().url(uri.toString()).build();
        return () -> send(client, request);
    }

    private static int send(OkHttpClient client, Request request) throws Exception {
        try (Response response = client.newCall(request).execute()) {
            return response.body().string().length();
        }
    }

    static Pair jdk(URI uri) {
        HttpClient bare = newJdkClient();
        HttpClient throttled = ThrottlingHttpClient.newBuilder(newJdkClient())
                .throttles(Subjects.perKey())
                .build();
        HttpRequest request =
                HttpRequest.newBuilder(uri).timeout(LONGEST_REQUEST).build();
        return new Pair("JDK", () -> send(bare, request), () -> send(throttled, request));
    }

    private static HttpClient newJdkClient() {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    }

    private static int send(HttpClient client, HttpRequest request) throws Exception {
        return client.send(request, BodyHandlers.ofString()).body().length();
    }
}
