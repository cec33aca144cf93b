package dev.throttle.spring;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real Redis: the one on the PATH, else one out of a library. */
final class RealRedis implements AutoCloseable {

    static final String PASSWORD = "open-sesame";

    final int port;
    private final Process process;

    RealRedis() throws IOException, InterruptedException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        process = new ProcessBuilder(
                        binary(),
                        "--port",
                        String.valueOf(port),
                        "--bind",
                        "127.0.0.1",
                        "--requirepass",
                        PASSWORD,
                        "--save",
                        "",
                        "--dir",
                        System.getProperty("java.io.tmpdir"))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        for (int i = 0; !listens(); i++) {
            if (i > 1000 || !process.isAlive()) {
                throw new IllegalStateException("redis-server does not start");
            }
            Thread.sleep(10);
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
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
    public void close() {
        process.destroyForcibly();
    }
}
