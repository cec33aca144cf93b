package dev.throttle.reality.external;

import com.fasterxml.jackson.jr.ob.JSON;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A limiter that npm brings, in a server of Node.js. Its configuration is in {@code products/node}. */
final class NpmProduct extends ExternalProduct {

    private final Path manifest;

    NpmProduct(String npmPackage, Cell cell) {
        super(cell);
        this.manifest = ProductFiles.file("node/node_modules/" + npmPackage + "/package.json");
    }

    @Override
    public @Nullable String missing() {
        if (ProductFiles.program("node") == null) {
            return ProductFiles.missing("Node.js", "npm");
        }
        return Files.exists(manifest) ? null : ProductFiles.missing(manifest.toString(), "npm");
    }

    @Override
    public String version() {
        try {
            return String.valueOf(JSON.std.mapFrom(Files.readString(manifest)).get("version"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<String> command(int port, int applicationPort, Path directory) {
        String serve = ProductFiles.file("node/serve.mjs").toString();
        return ProductFiles.tethered(List.of(ProductFiles.installed("node"), serve, name(), Integer.toString(port)));
    }
}
