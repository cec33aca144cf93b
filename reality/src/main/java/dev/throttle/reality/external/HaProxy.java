package dev.throttle.reality.external;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * HAProxy: {@code http_req_rate}, a sliding window that is approximated from two counters. All of a window can go at
 * once only if nothing went before. What comes after that must wait for the end of the period and then for its share of
 * the next one, so that a job takes as long as with steady tokens and no burst.
 */
final class HaProxy extends DebianProduct {

    private static final Limit PER_TEN_SECONDS = Limit.bucket(1, 100, Duration.ofSeconds(10));

    private HaProxy(Cell cell) {
        super("haproxy", cell);
    }

    static List<HaProxy> all() {
        String lab = "--server haproxy-rate --capacity 100 --window 10s";
        return List.of(
                new HaProxy(new Cell("haproxy-10s", "http_req_rate(10s), 429", Kind.SILENT, PER_TEN_SECONDS, lab)),
                new HaProxy(new Cell(
                        "haproxy-10s-ra",
                        "http_req_rate(10s), 429 with Retry-After: 10",
                        Kind.SILENT,
                        PER_TEN_SECONDS,
                        lab + " --retry-after on")),
                new HaProxy(new Cell(
                        "haproxy-1s",
                        "http_req_rate(1s), 429",
                        Kind.SILENT,
                        Limit.bucket(1, 20, Duration.ofSeconds(1)),
                        "--server haproxy-rate --capacity 20 --window 1s")),
                new HaProxy(new Cell(
                        "haproxy-10s-unc",
                        "http_req_rate(10s), refused requests do not count",
                        Kind.SILENT,
                        PER_TEN_SECONDS,
                        lab + " --count-refused off")));
    }

    @Override
    public String version() {
        return ProductFiles.version(program(), "-v");
    }

    @Override
    public List<String> command(int port, int applicationPort, Path directory) throws IOException {
        String limit = "haproxy/" + name().substring("haproxy-".length()) + ".cfg";
        Path file = configure(directory, "haproxy/haproxy.cfg", limit, port, applicationPort);
        return ProductFiles.tethered(List.of(program(), "-db", "-f", file.toString()));
    }
}
