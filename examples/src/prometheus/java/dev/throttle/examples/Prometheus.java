package dev.throttle.examples;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Prometheus that scrapes some ports once a second, and can be asked. */
final class Prometheus implements AutoCloseable {

    private final URI address;
    private final Process process;
    private final Path log;
    private final HttpClient client = HttpClient.newHttpClient();

    /** Starts it with a folder for its data, the rules of the alerts, and the ports of the programs. */
    Prometheus(Path folder, Path rules, List<Integer> ports) throws IOException {
        Path config = folder.resolve("prometheus.yml");
        Files.writeString(config, """
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                rule_files: ['%s']
                scrape_configs:
                  - job_name: shop
                    static_configs: [%s]
                """.formatted(
                        rules.toAbsolutePath(),
                        IntStream.range(0, ports.size())
                                .mapToObj(i -> "{ targets: ['127.0.0.1:%d'], labels: { instance: pod-%d } }"
                                        .formatted(ports.get(i), i + 1))
                                .collect(Collectors.joining(", "))));
        String listen = "127.0.0.1:" + freePort();
        address = URI.create("http://" + listen);
        log = folder.resolve("prometheus.log");
        process = new ProcessBuilder(
                        "prometheus",
                        "--config.file=" + config,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=" + listen)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }

    static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** Waits until it answers. */
    void awaitReady() throws IOException, InterruptedException {
        while (true) {
            try {
                if (send(address.resolve("/-/ready")).statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // not yet
            }
            if (!process.isAlive()) {
                throw new IllegalStateException(Files.readString(log));
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    /** {@return its answer to a query of an instant: "status", and "data" or "error"} */
    Map<String, Object> query(String expression) throws IOException, InterruptedException {
        return get("/api/v1/query?query=" + encoded(expression));
    }

    /** {@return its answer to a query of the last seconds, with a point for each step} */
    Map<String, Object> queryRange(String expression, long start, long end, int stepSeconds)
            throws IOException, InterruptedException {
        return get("/api/v1/query_range?query=" + encoded(expression) + "&start=" + start + "&end=" + end + "&step="
                + stepSeconds);
    }

    /** {@return the rules, with their health} */
    Map<String, Object> rules() throws IOException, InterruptedException {
        return get("/api/v1/rules");
    }

    private Map<String, Object> get(String path) throws IOException, InterruptedException {
        return JSON.std.mapFrom(send(URI.create(address + path)).body());
    }

    private java.net.http.HttpResponse<String> send(URI uri) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        process.destroy();
    }
}
