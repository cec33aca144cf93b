package dev.throttle.examples;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A JVM of the fleet demo: starts it, shows what it prints, and ends it. */
final class FleetDemoJvm implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 180; // a busy machine starts JVMs slowly

    private final String name;
    private final Process process;
    private final Thread reader;
    private final CountDownLatch[] saw = {new CountDownLatch(1), new CountDownLatch(1)};
    private final AtomicReference<@Nullable Row> row = new AtomicReference<>();

    /** What a JVM did. */
    record Row(String name, long requests, long refused) {

        static final String PREFIX = "in all ";

        @Override
        public String toString() {
            double rate = requests == 0 ? 0 : 100.0 * refused / requests;
            return String.format(Locale.ROOT, "%-8s %9d %8d %8.2f %%", name, requests, refused, rate);
        }
    }

    FleetDemoJvm(String name, URI server, String redis, PrintStream out) throws IOException {
        this.name = name;
        this.process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        classPath(),
                        FleetDemoProcess.class.getName(),
                        server.toString(),
                        redis)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.reader = new Thread(() -> read(out), "fleet-demo-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Maven runs programs in its own JVM, with a class loader instead of a class path. */
    private static String classPath() {
        if (FleetDemoJvm.class.getClassLoader() instanceof URLClassLoader loader) {
            return Stream.of(loader.getURLs()).map(FleetDemoJvm::path).collect(Collectors.joining(File.pathSeparator));
        }
        return System.getProperty("java.class.path");
    }

    private static String path(URL url) {
        try {
            return Path.of(url.toURI()).toString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private void read(PrintStream out) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(Row.PREFIX)) {
                    String[] numbers = line.substring(Row.PREFIX.length()).split(" ", -1);
                    row.set(new Row(name, Long.parseLong(numbers[0]), Long.parseLong(numbers[1])));
                } else {
                    out.printf("%-8s %s%n", name, line);
                    saw[0].countDown();
                    if (line.contains(FleetDemoProcess.TWO)) {
                        saw[1].countDown();
                    }
                }
            }
        } catch (IOException e) {
            out.println(name + " cannot be read any more: " + e);
        }
    }

    /** Waits until the process has said that there are so many of them. */
    void awaitProcesses(int count) throws InterruptedException {
        if (!saw[count - 1].await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(name + " has not seen " + count + " processes");
        }
    }

    /** Lets it end; {@return what it did} */
    Row end() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(name + " does not end");
        }
        reader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        Row done = row.get();
        if (done == null) {
            throw new IllegalStateException(name + " has failed");
        }
        return done;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
