package dev.throttle.reality;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The application behind a proxy: it answers every request with 200 after a fixed time. */
public final class Application implements AutoCloseable {

    private final HttpServer http;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "application");
        thread.setDaemon(true);
        return thread;
    });

    private Application(HttpServer http) {
        this.http = http;
    }

    /**
     * {@return a running application}
     *
     * @param port where it listens on loopback, 0 for any free port
     * @param service how long a request takes
     * @throws IOException if the port is not free
     */
    public static Application start(int port, Duration service) throws IOException {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        Application application = new Application(http);
        http.setExecutor(application.threads);
        http.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                Thread.sleep(service.toMillis());
                byte[] body = "ok\n".getBytes(StandardCharsets.UTF_8);
                exchange.getResponseHeaders().set("Content-Type", "text/plain");
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        http.start();
        return application;
    }

    /** {@return where it listens} */
    public int port() {
        return http.getAddress().getPort();
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
