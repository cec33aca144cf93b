package dev.throttle.reality.maven;

import dev.throttle.reality.Jvm;
import dev.throttle.reality.Kind;
import dev.throttle.reality.Limit;
import dev.throttle.reality.Product;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A product on this class path, in a JVM of its own.
 *
 * @param program has a {@code main} that takes the port, the port of the application, and {@code settings}
 * @param ofProduct a class of the product, whose jar says its version
 * @param settings what is configured
 * @param isProxy whether it forwards to an application
 */
record JvmProduct(
        String name,
        String description,
        Kind kind,
        Limit limit,
        List<String> lab,
        Class<?> program,
        Class<?> ofProduct,
        List<String> settings,
        boolean isProxy)
        implements Product {

    /** Limited as {@link Product#PATH}, but counted apart. */
    static final String WARM_UP_PATH = "/warm-up";

    @Override
    public @Nullable String missing() {
        return null;
    }

    @Override
    public String version() {
        String version = ofProduct.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    @Override
    public String warmUpPath() {
        return WARM_UP_PATH;
    }

    @Override
    public List<String> command(int port, int applicationPort, Path directory) {
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(port), Integer.toString(applicationPort)));
        arguments.addAll(settings);
        // It starts twice as fast without the second compiler, and has little to do.
        return Jvm.command(program, List.of("-XX:TieredStopAtLevel=1"), arguments);
    }
}
