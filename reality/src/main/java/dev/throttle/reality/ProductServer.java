package dev.throttle.reality;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A product that runs. It can be stopped and started again on the same port, which forgets what it has counted, and so
 * can the application behind it if it is a proxy.
 */
public final class ProductServer implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofMinutes(3);
    private static final Duration LONGEST_END = Duration.ofSeconds(3);

    private static final int WARM_UP_REQUESTS = 20;

    private final Product product;
    private final int port;
    private final Path directory;
    private final int applicationPort;
    private @Nullable Application application;
    private @Nullable Process process;

    private ProductServer(Product product, int port, Path directory, int applicationPort) {
        this.product = product;
        this.port = port;
        this.directory = directory;
        this.applicationPort = applicationPort;
    }

    /**
     * {@return the product, running and ready}
     *
     * @param port where it listens on 127.0.0.1, 0 for any free port
     * @throws IOException if it cannot start: the message has its last output
     */
    public static ProductServer start(Product product, int port) throws IOException, InterruptedException {
        int own = port == 0 ? freePort() : port;
        int behind = product.isProxy() ? freePort() : 0;
        Path directory = Files.createTempDirectory("reality-" + product.name() + "-");
        ProductServer server = new ProductServer(product, own, directory, behind);
        try {
            server.startApplication();
            server.start();
            server.warmUp();
            return server;
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** {@return what is limited} */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + port + Product.PATH);
    }

    /** Starts the product, and returns when it is ready. */
    public void start() throws IOException, InterruptedException {
        List<String> command = product.command(port, applicationPort, directory);
        Path log = directory.resolve("output.log");
        Process started = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        process = started;
        long deadline = System.nanoTime() + LONGEST_START.toNanos();
        while (!accepts()) {
            if (!started.isAlive() || System.nanoTime() > deadline) {
                stop();
                throw new IOException(product.name() + " did not start: " + tail(log));
            }
            Thread.sleep(20);
        }
    }

    private void warmUp() throws IOException {
        String path = product.warmUpPath();
        for (int i = 0; path != null && i < WARM_UP_REQUESTS; i++) {
            URLConnection connection = uri().resolve(path).toURL().openConnection();
            connection.setReadTimeout((int) LONGEST_START.toMillis());
            try (InputStream body = connection.getInputStream()) {
                body.readAllBytes();
            }
        }
    }

    private boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    }

    /** Ends the product: its port refuses connections when this returns. */
    public void stop() {
        Process running = process;
        if (running == null) {
            return;
        }
        process = null;
        List<ProcessHandle> all = Stream.concat(running.descendants(), Stream.of(running.toHandle()))
                .toList();
        running.destroy();
        try {
            running.waitFor(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }

    /** Starts the application behind the proxy; nothing if this is none. */
    public void startApplication() throws IOException {
        if (product.isProxy() && application == null) {
            Limit limit = product.limit();
            application = Application.start(
                    applicationPort, limit.shape() == Limit.Shape.CONCURRENCY ? limit.per() : Duration.ZERO);
        }
    }

    /** Ends the application behind the proxy, so that its connections are refused. */
    public void stopApplication() {
        Application running = application;
        application = null;
        if (running != null) {
            running.close();
        }
    }

    @Override
    public void close() {
        stop();
        stopApplication();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            // A file that a dying process still writes stays in the temporary directory.
        }
    }
}
