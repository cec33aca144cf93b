package dev.throttle.reality.external;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Varnish: {@code vsthrottle} of varnish-modules, a bucket. */
final class Varnish extends DebianProduct {

    private static final Path LIBRARIES = Path.of("/usr/lib");
    private static final String LAB = "--server vsthrottle --capacity 100 --window 10s";
    private static final Limit LIMIT = Limit.bucket(100, 100, Duration.ofSeconds(10));

    private Varnish(Cell cell) {
        super("varnishd", cell);
    }

    static List<Varnish> all() {
        return List.of(
                new Varnish(new Cell(
                        "varnish",
                        "vsthrottle 100 in 10s, 429 with Retry-After: 5",
                        Kind.SILENT,
                        LIMIT,
                        LAB + " --headers none")),
                new Varnish(new Cell(
                        "varnish-rem",
                        "vsthrottle 100 in 10s, X-RateLimit-Remaining",
                        Kind.TELLING_BUCKET,
                        LIMIT,
                        LAB + " --headers remaining")));
    }

    @Override
    public @Nullable String missing() {
        String program = super.missing();
        return program != null || hasModule()
                ? program
                : ProductFiles.missing("vsthrottle of varnish-modules", "debian");
    }

    private static boolean hasModule() {
        // The directory is named after the architecture.
        try (Stream<Path> directories = Files.list(LIBRARIES)) {
            return directories.anyMatch(each -> Files.exists(each.resolve("varnish/vmods/libvmod_vsthrottle.so")));
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public String version() {
        return ProductFiles.version(program(), "-V");
    }

    @Override
    public List<String> command(int port, int applicationPort, Path directory) throws IOException {
        Path file = configure(directory, "varnish/" + name() + ".vcl", "", port, applicationPort);
        return ProductFiles.tethered(List.of(
                program(),
                "-F",
                "-n",
                directory.resolve("work").toString(),
                "-j",
                "none",
                "-s",
                "malloc,16m",
                "-T",
                "none",
                "-a",
                "127.0.0.1:" + port,
                "-f",
                file.toString()));
    }
}
