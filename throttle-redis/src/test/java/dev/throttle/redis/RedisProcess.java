package dev.throttle.redis;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** A real Redis for a test: the one on the PATH, else one out of a library. It keeps what it writes to itself. */
final class RedisProcess implements AutoCloseable {

    private static final String[] EMBEDDED = {"redis-server-6.2.6-v5-linux-amd64", "redis-server-6.2.7-linux-arm64"};

    /** The ports below those that the system gives away itself; a node of a cluster listens on two. */
    private static final int LOWEST_PORT = 10_000;

    private static final int HIGHEST_PORT = 22_000;
    private static final int SECOND_PORT = 10_000;
    private static final int ATTEMPTS = 20;

    private static final Set<RedisProcess> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(RedisProcess::close)));
    }

    private final Path folder;
    private final int port;
    private final List<String> command;
    private Process process;

    RedisProcess() {
        this("", "--appendonly", "no");
    }

    /** A sentinel has its settings in a file, and keeps what it knows there. */
    private RedisProcess(String sentinel, String... settings) {
        try {
            this.folder = Files.createTempDirectory("throttle-test-redis");
            List<String> beginning = new ArrayList<>(List.of(binary()));
            if (!sentinel.isEmpty()) {
                Path file = Files.writeString(folder.resolve("sentinel.conf"), sentinel);
                beginning.addAll(List.of(file.toString(), "--sentinel"));
            }
            beginning.addAll(List.of("--bind", "127.0.0.1", "--dir", folder.toString()));
            if (sentinel.isEmpty()) {
                beginning.addAll(List.of("--save", ""));
            }
            beginning.addAll(List.of(settings));
            int candidate = 0;
            List<String> whole = List.of();
            Process started = null;
            for (int i = 0; started == null && i < ATTEMPTS; i++) { // another program may be faster with a port
                candidate = freePort();
                whole = new ArrayList<>(beginning);
                whole.addAll(List.of("--port", String.valueOf(candidate)));
                started = started(whole, candidate);
            }
            if (started == null) {
                throw new IllegalStateException("redis-server does not start");
            }
            this.port = candidate;
            this.command = whole;
            this.process = started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        RUNNING.add(this);
    }

    /** {@return one that copies another} */
    static RedisProcess replica(RedisProcess of) {
        return new RedisProcess("", "--replicaof", "127.0.0.1", String.valueOf(of.port), "--replica-priority", "10");
    }

    /** {@return one that sees to it that there is a master} */
    static RedisProcess sentinel(RedisProcess master) {
        return new RedisProcess("""
                sentinel monitor main 127.0.0.1 %d 1
                sentinel down-after-milliseconds main 500
                sentinel failover-timeout main 3000
                """.formatted(master.port));
    }

    /** {@return a node of a cluster, which has to be told of the others} */
    static RedisProcess node() {
        return new RedisProcess("", "--cluster-enabled", "yes", "--cluster-node-timeout", "2000");
    }

    private static int freePort() {
        for (int i = 0; i < 1000; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
            if (isFree(port) && isFree(port + SECOND_PORT)) {
                return port;
            }
        }
        throw new IllegalStateException("there is no free port");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }

    /** {@return the process as soon as it answers; null if it died, as it does when it cannot have its ports} */
    private static @Nullable Process started(List<String> command, int port) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        String own = "process_id:" + process.pid() + "\r\n"; // and not who was faster with the port
        try {
            await().pollInterval(Duration.ofMillis(10))
                    .until(() ->
                            !process.isAlive() || answer(port, "INFO server").contains(own));
        } catch (ConditionTimeoutException e) {
            process.destroyForcibly();
            return null;
        }
        return process.isAlive() ? process : null;
    }

    private static String answer(int port, String line) {
        try {
            return command(port, line, 2000);
        } catch (IOException e) {
            return "";
        }
    }

    int port() {
        return port;
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Starts it again, empty. */
    void start() {
        try {
            Files.deleteIfExists(folder.resolve("dump.rdb")); // what a replica was sent
            Process started = started(command, port);
            if (started == null) {
                throw new IllegalStateException("redis-server does not start again");
            }
            process = started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
        String name = EMBEDDED[isArm ? 1 : 0];
        Path copy = Path.of(
                System.getProperty("java.io.tmpdir"),
                "throttle-test-" + name + "-" + ProcessHandle.current().pid());
        if (!Files.exists(copy)) {
            try (InputStream in = RedisProcess.class.getResourceAsStream("/" + name)) {
                Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
            }
            copy.toFile().setExecutable(true);
            copy.toFile().deleteOnExit();
        }
        return copy.toString();
    }

    /** Sends a command of plain words; {@return the first of the answer} */
    String command(String line) throws IOException {
        return command(port, line, 30_000);
    }

    private static String command(int port, String line, int millis) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(millis);
            socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
            socket.getOutputStream().write("QUIT\r\n".getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** {@return how many commands it has run, those of scripts included} */
    long commands() throws IOException {
        String stats = command("INFO commandstats");
        long sum = 0;
        for (String line : stats.split("\r\n")) {
            if (line.startsWith("cmdstat_eval")) {
                sum += Long.parseLong(line.replaceAll("cmdstat_\\w+:calls=(\\d+),.*", "$1"));
            }
        }
        return sum;
    }

    /** Stops it dead or lets it go on, as kill does. */
    void signal(String name) {
        signal(process.pid(), name);
    }

    static void signal(long pid, String name) {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        RUNNING.remove(this);
        kill();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
