package com.example;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that refuses the first two requests and accepts what follows. */
final class RefusingServer implements AutoCloseable {

    private final HttpServer server;
    private final AtomicInteger requests = new AtomicInteger();

    RefusingServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        }));
        server.createContext("/", exchange -> {
            int number = requests.incrementAndGet();
            if (number <= 2) {
                exchange.getResponseHeaders().add("retry-after-ms", "20");
            }
            exchange.sendResponseHeaders(number <= 2 ? 429 : 200, -1);
            exchange.close();
        });
        server.start();
    }

    URI uri() {
        return URI.create("http://localhost:" + server.getAddress().getPort() + "/");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
