package dev.throttle.reality.external;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A proxy that Debian brings. Its configuration is in {@code products/debian}. */
abstract class DebianProduct extends ExternalProduct {

    private final String program;

    DebianProduct(String program, Cell cell) {
        super(cell);
        this.program = program;
    }

    @Override
    public final boolean isProxy() {
        return true;
    }

    @Override
    public @Nullable String missing() {
        return ProductFiles.program(program) == null ? ProductFiles.missing(program, "debian") : null;
    }

    /** {@return the file of its program, which is installed} */
    final String program() {
        return ProductFiles.installed(program);
    }

    /**
     * {@return the configuration that it writes}
     *
     * @param directory where to
     * @param template the file it is made of, in {@code products/debian}
     * @param limit the file that comes in the place of <code>${limit}</code>, empty for none
     */
    static Path configure(Path directory, String template, String limit, int port, int applicationPort)
            throws IOException {
        String content = limit.isEmpty() ? "" : Files.readString(ProductFiles.file("debian/" + limit));
        String text = ProductFiles.render(
                "debian/" + template,
                Map.of(
                        "port", Integer.toString(port),
                        "application", Integer.toString(applicationPort),
                        "directory", directory.toString(),
                        "limit", content));
        return Files.writeString(directory.resolve("product.conf"), text);
    }
}
