package dev.throttle.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/** A little API to run the examples on: it refuses the first request, and answers those that come a second later. */
final class ExampleServer {

    private ExampleServer() {}

    /** Runs an example on the address in the arguments or, without one, on a server of its own. */
    static void with(String[] args, Example example) throws Exception {
        System.out.println(args.length > 0 ? example.run(URI.create(args[0])) : onOwnServer(example));
    }

    static String onOwnServer(Example example) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        AtomicLong first = new AtomicLong();
        server.createContext("/", exchange -> {
            long now = System.nanoTime();
            first.compareAndSet(0, now);
            answer(exchange, now - first.get() >= 1_000_000_000L);
        });
        server.start();
        try {
            return example.run(
                    URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"));
        } finally {
            server.stop(0);
        }
    }

    private static void answer(HttpExchange exchange, boolean isOpen) throws IOException {
        try (exchange) {
            if (!isOpen) {
                exchange.getResponseHeaders().set("Retry-After", "1");
                exchange.sendResponseHeaders(429, -1);
                return;
            }
            byte[] body = ("the answer of " + exchange.getRequestURI()).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("RateLimit-Remaining", "4499");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    /** An example: calls the API and returns what it has to show. */
    interface Example {
        String run(URI api) throws Exception;
    }
}
