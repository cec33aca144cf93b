package dev.throttle.reality.external;

import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Apache with mod_qos: {@code QS_ClientEventLimitCount}, which refuses the request that reaches the number. */
final class Apache extends DebianProduct {

    private static final Path MODULE = Path.of("/usr/lib/apache2/modules/mod_qos.so");

    private Apache(Cell cell) {
        super("apache2", cell);
    }

    static List<Apache> all() {
        return List.of(new Apache(new Cell(
                "apache-qos",
                "QS_ClientEventLimitCount 100 10, 429",
                Kind.SILENT,
                Limit.window(99, Duration.ofSeconds(10)),
                "")));
    }

    @Override
    public @Nullable String missing() {
        String program = super.missing();
        return program != null || Files.exists(MODULE) ? program : ProductFiles.missing("mod_qos of Apache", "debian");
    }

    @Override
    public String version() {
        return ProductFiles.version("dpkg-query", "--show", "--showformat=${Version}", "libapache2-mod-qos");
    }

    @Override
    public List<String> command(int port, int applicationPort, Path directory) throws IOException {
        Path file = configure(directory, "apache/apache.conf", "", port, applicationPort);
        // Debian's module does not name the library that it needs.
        return ProductFiles.tethered(List.of(
                "/usr/bin/env",
                "LD_PRELOAD=libpcre.so.3",
                program(),
                "-d",
                directory.toString(),
                "-f",
                file.toString(),
                "-D",
                "FOREGROUND"));
    }
}
