package dev.throttle.reality.external;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The directory {@code reality/products} of this project, and the programs of this machine. */
final class ProductFiles {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)}");
    private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");
    private static final Path DIRECTORY = find();

    private ProductFiles() {}

    private static Path find() {
        Path code;
        try {
            code = Path.of(ProductFiles.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        for (Path above = code; above != null; above = above.getParent()) {
            Path products = above.resolve("products");
            if (Files.isExecutable(products.resolve("install"))) {
                return products;
            }
        }
        throw new IllegalStateException("no directory products above " + code);
    }

    /** {@return a file of the directory, which need not exist} */
    static Path file(String name) {
        return DIRECTORY.resolve(name);
    }

    /** {@return what a person is told if something is not installed, and that it is} */
    static String missing(String what, String part) {
        return what + " is missing: run " + DIRECTORY.resolve("install") + " " + part;
    }

    /**
     * {@return the text of a file in which each <code>${name}</code> is replaced}
     *
     * @param values the names and what comes in their place
     */
    static String render(String file, Map<String, String> values) throws IOException {
        Matcher placeholders = PLACEHOLDER.matcher(Files.readString(file(file)));
        return placeholders.replaceAll(found -> Matcher.quoteReplacement(
                Objects.requireNonNull(values.get(found.group(1)), () -> found.group() + " in " + file)));
    }

    /** {@return a command that ends with this Java process, however that ends} */
    static List<String> tethered(List<String> command) {
        List<String> all = new ArrayList<>();
        all.add(file("tether").toString());
        all.addAll(command);
        return all;
    }

    /** {@return the file of a program; null if it is not installed} */
    static @Nullable Path program(String name) {
        // Debian has servers where only root looks for programs.
        String path = Objects.requireNonNullElse(System.getenv("PATH"), "") + ":/usr/local/sbin:/usr/sbin:/sbin";
        return Stream.of(path.split(":"))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
    }

    /** {@return the file of a program that is installed} */
    static String installed(String name) {
        return Objects.requireNonNull(program(name), name).toString();
    }

    /** {@return the first number with dots in what a command prints} */
    static String version(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return VERSION.matcher(printed)
                    .results()
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no version: " + printed))
                    .group();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
