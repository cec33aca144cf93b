package dev.throttle.lab.torture;

import dev.throttle.lab.torture.Attempts.Planned;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** A server of HTTP/1.1 that does to each connection what the plan of the request says; a thread for each. */
final class PlainServer implements Closeable {

    private final Wire wire;
    private final Attempts attempts;
    private final ScaledTime time;
    private final @Nullable SSLSocketFactory tls;
    private final ServerSocket listening;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "torture-server");
        thread.setDaemon(true);
        return thread;
    });

    PlainServer(Wire wire, Attempts attempts, ScaledTime time, OpenSockets sockets, @Nullable SSLSocketFactory tls)
            throws IOException {
        this.wire = wire;
        this.attempts = attempts;
        this.time = time;
        this.tls = tls;
        this.listening = sockets.createServerSocket(0);
        threads.execute(this::listen);
    }

    int port() {
        return listening.getLocalPort();
    }

    private void listen() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                threads.execute(() -> serve(socket));
            } catch (IOException e) {
                // Closed, or a client that has gone already.
            }
        }
    }

    private void serve(Socket accepted) {
        try (accepted;
                Socket socket = encrypted(accepted)) {
            socket.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(socket.getInputStream());
            Exchange exchange = new Exchange(socket.getOutputStream(), accepted);
            while (exchange.next(in)) {
                // one after the other
            }
        } catch (IOException | InterruptedException e) {
            // The client has gone, or the plan says so.
        }
    }

    private Socket encrypted(Socket accepted) throws IOException {
        if (tls == null) {
            return accepted;
        }
        SSLSocket socket = (SSLSocket) tls.createSocket(accepted, null, accepted.getPort(), true);
        socket.setUseClientMode(false);
        return socket;
    }

    @Override
    public void close() throws IOException {
        listening.close();
        threads.shutdownNow();
    }

    /** The requests of one connection. */
    private final class Exchange {

        private final OutputStream out;
        private final Socket socket;

        Exchange(OutputStream out, Socket socket) {
            this.out = out;
            this.socket = socket;
        }

        /** {@return whether the connection goes on} */
        boolean next(InputStream in) throws IOException, InterruptedException {
            String first = line(in);
            if (first.isEmpty()) {
                return false;
            }
            String host = "";
            long length = 0;
            boolean isChunked = false;
            for (String line = line(in); !line.isEmpty(); line = line(in)) {
                int colon = line.indexOf(':');
                String value = line.substring(colon + 1).strip();
                switch (line.substring(0, colon).toLowerCase(Locale.ROOT)) {
                    case "host" -> host = value;
                    case "content-length" -> length = Long.parseLong(value);
                    case "transfer-encoding" -> isChunked = true;
                    default -> {}
                }
            }
            skipBody(in, length, isChunked);
            Planned answer = attempts.answer(first.split(" ", 3)[1], wire);
            return answer(answer, host);
        }

        private boolean answer(Planned answer, String host) throws IOException, InterruptedException {
            AnswerPlan plan = answer.plan();
            Thread.sleep(plan.delayMillis());
            byte[] head = head(answer, host);
            byte[] body = body(answer);
            switch (plan.fault()) {
                case CLOSE_AT_ONCE -> {
                    return false;
                }
                case NO_HTTP -> {
                    out.write("BANG! no such thing\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    return false;
                }
                case STALL_IN_HEAD -> {
                    out.write(head, 0, head.length / 2);
                    out.flush();
                    Thread.sleep(plan.faultDelayMillis());
                    out.write(head, head.length / 2, head.length - head.length / 2);
                    out.write(body);
                }
                case STALL_IN_BODY -> {
                    out.write(head);
                    out.write(body, 0, body.length / 2);
                    out.flush();
                    Thread.sleep(plan.faultDelayMillis());
                    out.write(body, body.length / 2, body.length - body.length / 2);
                }
                case CLOSE_IN_HEAD -> {
                    out.write(head, 0, head.length / 2);
                    return false;
                }
                case CLOSE_IN_BODY, RESET_IN_BODY -> {
                    out.write(head);
                    out.write(body, 0, body.length / 2);
                    out.flush();
                    Thread.sleep(plan.faultDelayMillis());
                    if (plan.fault() == AnswerPlan.Fault.RESET_IN_BODY) {
                        socket.setSoLinger(true, 0);
                        socket.close();
                    }
                    return false;
                }
                default -> {
                    byte[] whole = new byte[head.length + body.length];
                    System.arraycopy(head, 0, whole, 0, head.length);
                    System.arraycopy(body, 0, whole, head.length, body.length);
                    out.write(whole);
                    out.flush();
                    return plan.fault() != AnswerPlan.Fault.CLOSE_AFTERWARDS;
                }
            }
            out.flush();
            return true;
        }

        private byte[] head(Planned answer, String host) {
            AnswerPlan plan = answer.plan();
            StringBuilder head = new StringBuilder("HTTP/1.1 " + plan.status() + " Planned\r\n");
            long now = time.currentTimeMillis();
            append(head, "Date", Hints.date(now));
            List<String> headers = plan.headers();
            for (int i = 0; i < headers.size(); i += 2) {
                append(head, headers.get(i), Hints.dated(headers.get(i + 1), now));
            }
            if (plan.location() >= 0) {
                append(head, "Location", answer.location(wire, host, port()));
            }
            append(head, Servers.LENGTH, String.valueOf(plan.bodyBytes()));
            if (plan.isChunked()) {
                append(head, "Transfer-Encoding", "chunked");
            } else {
                append(head, "Content-Length", String.valueOf(plan.bodyBytes()));
            }
            return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        }

        private static void append(StringBuilder head, String name, String value) {
            head.append(name).append(": ").append(value).append("\r\n");
        }

        private byte[] body(Planned answer) {
            byte[] body = answer.body();
            if (!answer.plan().isChunked()) {
                return body;
            }
            String content = new String(body, StandardCharsets.US_ASCII);
            int half = body.length / 2;
            return (chunk(content.substring(0, half)) + chunk(content.substring(half)) + "0\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
        }

        private static String chunk(String content) {
            return content.isEmpty() ? "" : Integer.toHexString(content.length()) + "\r\n" + content + "\r\n";
        }
    }

    private static void skipBody(InputStream in, long length, boolean isChunked) throws IOException {
        if (!isChunked) {
            in.skipNBytes(length);
            return;
        }
        for (int size = chunkSize(in); size > 0; size = chunkSize(in)) {
            in.skipNBytes(size);
            line(in);
        }
        line(in);
    }

    private static int chunkSize(InputStream in) throws IOException {
        return Integer.parseInt(line(in).strip(), 16);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException();
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }
}
