package dev.throttle.jdkhttp;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP/1.1 server on loopback that answers what it was told, in order, and 200 {@code {}} after that. */
final class ScriptedServer implements AutoCloseable {

    /** An answer. */
    record Reply(int status, byte[] body, Map<String, String> headers) {

        static Reply of(int status, String body) {
            return new Reply(status, body.getBytes(StandardCharsets.UTF_8), Map.of());
        }

        static Reply of(int status, int length) {
            byte[] body = new byte[length];
            Arrays.fill(body, (byte) 'x');
            return new Reply(status, body, Map.of());
        }

        Reply with(String name, String value) {
            return new Reply(status, body, Map.of(name, value));
        }
    }

    private final ConcurrentLinkedQueue<Reply> script = new ConcurrentLinkedQueue<>();
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "scripted-server");
        thread.setDaemon(true);
        return thread;
    });

    final List<Integer> clientPorts = new CopyOnWriteArrayList<>();
    final List<String> bodies = new CopyOnWriteArrayList<>();

    ScriptedServer(Reply... replies) throws IOException {
        script.addAll(List.of(replies));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    void then(Reply reply) {
        script.add(reply);
    }

    private void answer(HttpExchange exchange) throws IOException {
        clientPorts.add(exchange.getRemoteAddress().getPort());
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        Reply next = script.poll();
        Reply reply = next == null ? Reply.of(200, "{}") : next;
        reply.headers().forEach(exchange.getResponseHeaders()::add);
        boolean empty = reply.body().length == 0 || exchange.getRequestMethod().equals("HEAD");
        try (exchange) {
            exchange.sendResponseHeaders(reply.status(), empty ? -1 : reply.body().length);
            if (!empty) {
                exchange.getResponseBody().write(reply.body());
            }
        } catch (IOException e) {
            // the client has had enough, as it should with a long refusal
        }
    }

    int hits() {
        return bodies.size();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
