package dev.throttle.benchmarks;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers every request on a connection at once and keeps it open. It runs in a process of its own, so that what the
 * client's process spends is the client's. It ends with its standard input.
 */
final class TinyServer {

    /** The path that is answered with a quota. */
    static final String QUOTA = "/quota";

    private static final int BACKLOG = 128;
    private static final String BODY = "{\"id\":42,\"name\":\"thing\",\"state\":\"ready\"}";
    private static final String COMMON = "HTTP/1.1 200 OK\r\n"
            + "Date: Fri, 20 Nov 2026 10:00:00 GMT\r\n"
            + "Content-Type: application/json\r\n"
            + "Cache-Control: no-store\r\n"
            + "X-Request-Id: 5f1d0c9e-7c60-4f0e-9d7d-3f6f0a9c1b2e\r\n"
            + "Content-Length: " + BODY.length() + "\r\n";

    private final ServerSocket socket;
    /** What all connections share. */
    private final AtomicInteger remaining = new AtomicInteger(Integer.MAX_VALUE);

    TinyServer() throws IOException {
        socket = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    }

    /**
     * Prints the port and serves.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) throws IOException {
        TinyServer server = new TinyServer();
        server.start();
        System.out.println(server.port());
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    int port() {
        return socket.getLocalPort();
    }

    void start() {
        daemon(() -> {
            while (true) {
                Socket connection = socket.accept();
                connection.setTcpNoDelay(true);
                daemon(() -> serve(connection));
            }
        });
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                Thread.currentThread().interrupt(); // the other side has gone
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(Socket connection) throws IOException {
        byte[] plain = bytes(COMMON + "\r\n" + BODY);
        try (connection;
                InputStream in = new BufferedInputStream(connection.getInputStream());
                OutputStream out = connection.getOutputStream()) {
            String line = line(in);
            while (!line.isEmpty()) {
                boolean quota = line.startsWith("GET " + QUOTA);
                while (!line.isEmpty()) {
                    line = line(in);
                }
                out.write(quota ? withQuota(remaining.getAndDecrement()) : plain);
                line = line(in);
            }
        }
    }

    private static byte[] withQuota(int left) {
        return bytes(COMMON
                + String.format(
                        Locale.ROOT,
                        "X-RateLimit-Limit: %d\r\nX-RateLimit-Remaining: %d\r\nX-RateLimit-Reset: 3600\r\n\r\n%s",
                        Integer.MAX_VALUE,
                        left,
                        BODY));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** {@return a line without its end; empty at the end of the head, and of the connection} */
    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        while (next >= 0 && next != '\n') {
            if (next != '\r') {
                line.append((char) next);
            }
            next = in.read();
        }
        return line.toString();
    }
}
