package dev.throttle.redis;

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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real Redis for a test: the one on the PATH, else one out of a library. It keeps nothing on disk. */
final class RedisProcess implements AutoCloseable {

    private static final String[] EMBEDDED = {"redis-server-6.2.6-v5-linux-amd64", "redis-server-6.2.7-linux-arm64"};

    private final int port;
    private final List<String> command = new ArrayList<>();
    private Process process;

    RedisProcess() {
        this("--save", "", "--appendonly", "no", "--dir", System.getProperty("java.io.tmpdir"));
    }

    private RedisProcess(String... settings) {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.port = free.getLocalPort();
            command.add(binary());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (settings.length == 1) { // a sentinel keeps what it knows in its file
            command.addAll(List.of(settings[0], "--sentinel"));
        }
        command.addAll(List.of("--port", String.valueOf(port), "--bind", "127.0.0.1"));
        if (settings.length > 1) {
            command.addAll(List.of(settings));
        }
        start();
    }

    /** {@return one that copies another} */
    static RedisProcess replica(RedisProcess of) {
        return new RedisProcess(
                "--save",
                "",
                "--dir",
                System.getProperty("java.io.tmpdir"),
                "--replicaof",
                "127.0.0.1",
                String.valueOf(of.port),
                "--replica-priority",
                "10");
    }

    /** {@return one that sees to it that there is a master} */
    static RedisProcess sentinel(RedisProcess master, Path folder) throws IOException {
        Path file = folder.resolve("sentinel.conf");
        Files.writeString(file, """
                sentinel monitor main 127.0.0.1 %d 1
                sentinel down-after-milliseconds main 500
                sentinel failover-timeout main 3000
                """.formatted(master.port));
        return new RedisProcess(file.toString());
    }

    /** {@return a node of a cluster, which has to be told of the others} */
    static RedisProcess node(Path folder, int number) throws IOException {
        Path own = Files.createDirectories(folder.resolve("node-" + number));
        return new RedisProcess(
                "--save", "", "--dir", own.toString(), "--cluster-enabled", "yes", "--cluster-node-timeout", "2000");
    }

    int port() {
        return port;
    }

    String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Starts it, empty. */
    void start() {
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            for (int i = 0; !answers(); i++) {
                if (i > 1000 || !process.isAlive()) {
                    throw new IllegalStateException("redis-server does not start");
                }
                Thread.sleep(10);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
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

    private boolean answers() {
        try {
            return command("PING").startsWith("+PONG");
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends a command of plain words; {@return the first of the answer} */
    String command(String line) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(2000);
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
        signal("CONT");
        kill();
    }
}
