package dev.throttle.spring.boot;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** Answers one request on each connection as it was told to, or closes it without an answer. */
final class ScriptedServer implements AutoCloseable {

    /** What makes the server close the connection when it has read the request. */
    static final String HANG_UP = "";

    /** The bodies of the requests that came. */
    final List<String> bodies = new CopyOnWriteArrayList<>();

    private final Queue<String> answers;
    private final ServerSocket socket;

    ScriptedServer(String... answers) throws IOException {
        this.answers = new ConcurrentLinkedQueue<>(List.of(answers));
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::serve, "scripted-server");
        thread.setDaemon(true);
        thread.start();
    }

    /** {@return an answer with a body} */
    static String answer(String status, String body, String... headers) {
        return "HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: "
                + body.length() + "\r\n" + String.join("", headers) + "\r\n" + body;
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/items");
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (Socket connection = socket.accept()) {
                connection.setSoTimeout(10_000);
                InputStream in = new BufferedInputStream(connection.getInputStream());
                String head = head(in);
                if (head.isEmpty()) {
                    continue; // a connection that was opened in advance, and is not used
                }
                bodies.add(new String(in.readNBytes(length(head)), StandardCharsets.UTF_8));
                String answer = answers.poll();
                if (answer != null) {
                    connection.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
                    connection.getOutputStream().flush();
                }
            } catch (IOException e) {
                // The client has gone, or the test is over.
            }
        }
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            head.write(next);
            String text = head.toString(StandardCharsets.US_ASCII);
            if (text.endsWith("\r\n\r\n")) {
                return text;
            }
        }
        return "";
    }

    private static int length(String head) {
        for (String line : head.toLowerCase(Locale.ROOT).split("\r\n")) {
            if (line.startsWith("content-length:")) {
                return Integer.parseInt(line.substring(line.indexOf(':') + 1).strip());
            }
        }
        return 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
