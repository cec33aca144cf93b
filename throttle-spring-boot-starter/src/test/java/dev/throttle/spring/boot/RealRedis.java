package dev.throttle.spring.boot;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** A real Redis: the one on the PATH, else one out of a library. */
final class RealRedis implements AutoCloseable {

    static final String PASSWORD = "open-sesame";

    private static final int LOWEST_PORT = 22_000; // below those that the system gives away itself
    private static final int HIGHEST_PORT = 32_000;
    private static final int ATTEMPTS = 20;

    final int port;
    private final Path folder = Files.createTempDirectory("throttle-test-redis");
    private final Process process;

    RealRedis() throws IOException, InterruptedException {
        String binary = binary();
        int candidate = 0;
        Process started = null;
        for (int i = 0; started == null && i < ATTEMPTS; i++) { // another program may be faster with a port
            candidate = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            started = started(binary, candidate);
        }
        if (started == null) {
            throw new IllegalStateException("redis-server does not start");
        }
        port = candidate;
        process = started;
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    /** {@return the process as soon as it answers; null if it died, as it does when it cannot have its port} */
    private @Nullable Process started(String binary, int port) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        binary,
                        "--port",
                        String.valueOf(port),
                        "--bind",
                        "127.0.0.1",
                        "--requirepass",
                        PASSWORD,
                        "--save",
                        "",
                        "--dir",
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            await().pollInterval(Duration.ofMillis(10)).until(() -> !process.isAlive() || answers(process, port));
        } catch (ConditionTimeoutException e) {
            process.destroyForcibly();
            return null;
        }
        return process.isAlive() ? process : null;
    }

    /** {@return whether it is this one that answers, and not who was faster with the port} */
    private static boolean answers(Process process, int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(2000);
            String commands = "AUTH " + PASSWORD + "\r\nINFO server\r\nQUIT\r\n";
            socket.getOutputStream().write(commands.getBytes(StandardCharsets.UTF_8));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.contains("process_id:" + process.pid() + "\r\n");
        } catch (IOException e) {
            return false;
        }
    }

    private static String binary() throws IOException {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
            Path candidate = Path.of(folder, "redis-server");
            if (!folder.isEmpty() && Files.isExecutable(candidate)) {
                return candidate.toString();
            }
        }
        boolean isArm = System.getProperty("os.arch").contains("aarch64");
        String name = isArm ? "redis-server-6.2.7-linux-arm64" : "redis-server-6.2.6-v5-linux-amd64";
        Path copy = Files.createTempFile("throttle-test-redis", "");
        try (InputStream in = RealRedis.class.getResourceAsStream("/" + name)) {
            Files.write(copy, in.readAllBytes());
        }
        copy.toFile().setExecutable(true);
        copy.toFile().deleteOnExit();
        return copy.toString();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
