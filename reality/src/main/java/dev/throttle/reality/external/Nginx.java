package dev.throttle.reality.external;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** nginx: {@code limit_req}, which is a leaky bucket, and {@code limit_conn}. */
final class Nginx extends DebianProduct {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private Nginx(Cell cell) {
        super("nginx", cell);
    }

    static List<Nginx> all() {
        String lab = "--server nginx-limit-req --capacity 100 --window 10s --burst 20 --delay ";
        String concurrency = "--server concurrency --capacity 4 --window 100ms --status ";
        // A burst comes on top of the one request that is always free to go.
        Limit burst = Limit.bucket(21, 100, TEN_SECONDS);
        Limit atATime = Limit.concurrency(4, Duration.ofMillis(100));
        return List.of(
                new Nginx(new Cell(
                        "nginx-noburst",
                        "limit_req 20r/s, 503",
                        Kind.SPACED,
                        Limit.bucket(1, 20, SECOND),
                        "--server nginx-limit-req --capacity 20 --window 1s")),
                new Nginx(new Cell(
                        "nginx-burst429",
                        "limit_req 10r/s burst=20 nodelay, 429",
                        Kind.SILENT,
                        burst,
                        lab + "off --status 429")),
                new Nginx(new Cell(
                        "nginx-burst503", "limit_req 10r/s burst=20 nodelay, 503", Kind.SILENT, burst, lab + "off")),
                new Nginx(new Cell(
                        "nginx-delay429",
                        "limit_req 10r/s burst=20, 429",
                        Kind.DELAY,
                        Limit.bucket(1, 100, TEN_SECONDS),
                        lab + "on --status 429")),
                new Nginx(new Cell(
                        "nginx-60rm",
                        "limit_req 60r/m burst=10 nodelay, 429",
                        Kind.SILENT,
                        Limit.bucket(11, 60, Duration.ofMinutes(1)),
                        "--server nginx-limit-req --capacity 60 --window 60s --burst 10 --delay off --status 429")),
                new Nginx(
                        new Cell("nginx-conn503", "limit_conn 4, 503", Kind.CONCURRENCY, atATime, concurrency + "503")),
                new Nginx(new Cell(
                        "nginx-conn429", "limit_conn 4, 429", Kind.CONCURRENCY, atATime, concurrency + "429")));
    }

    @Override
    public String version() {
        return ProductFiles.version(program(), "-v");
    }

    @Override
    public List<String> command(int port, int applicationPort, Path directory) throws IOException {
        String limit = "nginx/" + name().substring("nginx-".length()) + ".conf";
        Path file = configure(directory, "nginx/nginx.conf", limit, port, applicationPort);
        return ProductFiles.tethered(
                List.of(program(), "-p", directory.toString(), "-c", file.toString(), "-e", "stderr"));
    }
}
