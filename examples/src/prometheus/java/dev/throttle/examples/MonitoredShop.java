package dev.throttle.examples;

import dev.throttle.testing.RateLimitedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import redis.embedded.RedisServer;

/** What Prometheus watches: two JVMs of {@link MonitoredProgram}, the two APIs that they call, and their Redis. */
final class MonitoredShop implements AutoCloseable {

    private final RateLimitedServer orders = RateLimitedServer.builder()
            .window(60, Duration.ofSeconds(20))
            .headers(RateLimitedServer.Headers.RATELIMIT)
            .start();
    private final RateLimitedServer search = RateLimitedServer.builder()
            .window(30, Duration.ofSeconds(10))
            .headers(RateLimitedServer.Headers.NONE)
            .start();
    private final RedisServer redis;
    private final List<Process> programs = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    MonitoredShop() throws IOException {
        int port = Prometheus.freePort();
        redis = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        redis.start();
        for (int i = 0; i < 2; i++) {
            programs.add(start("redis://127.0.0.1:" + port));
        }
        for (Process program : programs) {
            BufferedReader output = program.inputReader(StandardCharsets.UTF_8);
            ports.add(Integer.parseInt(output.readLine()));
        }
    }

    private Process start(String redis) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MonitoredProgram.class.getName(),
                        address(orders).toString(),
                        address(search).toString(),
                        redis)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static URI address(RateLimitedServer server) {
        return server.uri("/");
    }

    /** {@return where the metrics of the JVMs are} */
    List<Integer> ports() {
        return ports;
    }

    /** A bad moment: one API refuses for a while, and says how long. */
    void refuseOrders(Duration wait) {
        orders.refuseNext(1, 429, wait);
    }

    /** An overload of the other API. */
    void overloadSearch() {
        search.refuseNext(3, 503, null);
    }

    @Override
    public void close() throws IOException {
        programs.forEach(Process::destroy);
        redis.stop();
        orders.close();
        search.close();
    }
}
