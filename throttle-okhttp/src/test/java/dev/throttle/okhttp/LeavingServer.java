package dev.throttle.okhttp;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** A server on one port that goes away and comes back, or whose gateway says that it is away. */
final class LeavingServer implements AutoCloseable {

    private final InetSocketAddress address;
    private volatile int status = 200;
    private @Nullable HttpServer server;

    LeavingServer() throws IOException {
        this.address = start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private InetSocketAddress start(InetSocketAddress at) throws IOException {
        HttpServer started = HttpServer.create(at, 0);
        started.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        started.start();
        server = started;
        return started.getAddress();
    }

    URI uri() {
        return URI.create("http://" + address.getHostString() + ":" + address.getPort() + "/");
    }

    /** From now on connections are refused. */
    void leave() {
        HttpServer running = server;
        server = null;
        if (running != null) {
            running.stop(0);
        }
    }

    void comeBack() throws IOException {
        status = 200;
        if (server == null) {
            start(address);
        }
    }

    /** From now on each request is answered so. */
    void answer(int code) {
        status = code;
    }

    @Override
    public void close() {
        leave();
    }
}
