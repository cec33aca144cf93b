package dev.throttle.lab.watch;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.throttle.lab.page.PageTemplate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Serves a page on loopback that shows the throttles of an application: {@code /} is the page, {@code /samples?since=N}
 * what was scraped from sample N on. It reads the one address that it was given, and answers only the machine it runs
 * on: requests under another host name, as from a page that has its name resolved to loopback, are refused.
 */
public final class WatchServer implements AutoCloseable {

    /** As long as the application may take for a whole answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    /** The port that browsers leave out of the host. */
    private static final int HTTP_PORT = 80;

    private static final int OK = 200;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;

    private final URI watched;
    private final HttpServer http;
    private final Scraper scraper;
    private final History history = new History();
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(3, task -> {
        Thread thread = new Thread(task, "lab-watch");
        thread.setDaemon(true);
        return thread;
    });

    private WatchServer(URI watched, int port) throws IOException {
        this.watched = watched;
        this.scraper = new Scraper(watched, InstantSource.system(), PATIENCE);
        this.http = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
        http.setExecutor(threads);
        http.createContext("/", this::handle);
    }

    /**
     * Starts to watch.
     *
     * @param watched the metrics of the application, in the format of Prometheus
     * @param port the port of the page, 0 for any free one
     * @param every how long it waits between two scrapes
     * @return the server of the page
     * @throws IOException if the port is taken
     */
    @SuppressWarnings("FutureReturnValueIgnored") // it goes on until the server is closed
    public static WatchServer start(URI watched, int port, Duration every) throws IOException {
        WatchServer server = new WatchServer(watched, port);
        server.http.start();
        server.threads.scheduleWithFixedDelay(server::scrape, 0, every.toNanos(), TimeUnit.NANOSECONDS);
        return server;
    }

    /** {@return where the page is} */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
    }

    private void scrape() {
        try {
            history.add(scraper.scrape());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (!isLocal(
                    exchange.getRequestHeaders().getFirst("Host"),
                    http.getAddress().getPort())) {
                reply(exchange, FORBIDDEN, "text/plain", "This page is for the machine it runs on.\n");
            } else if (path.equals("/")) {
                reply(exchange, OK, "text/html", page());
            } else if (path.equals("/samples")) {
                reply(
                        exchange,
                        OK,
                        "application/json",
                        history.since(number(exchange.getRequestURI().getQuery())));
            } else {
                reply(exchange, NOT_FOUND, "text/plain", "There is nothing here.\n");
            }
        }
    }

    static boolean isLocal(@Nullable String host, int port) {
        String name = String.valueOf(host);
        boolean isNamedAlone =
                port == HTTP_PORT && List.of("127.0.0.1", "localhost").contains(name);
        return isNamedAlone || List.of("127.0.0.1:" + port, "localhost:" + port).contains(name);
    }

    private static long number(@Nullable String query) {
        try {
            return query == null ? 0 : Math.max(0, Long.parseLong(query.replace("since=", "")));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private String page() {
        String shown = watched.toString().replace(watched.getRawUserInfo() + "@", ""); // it may hold a password
        return PageTemplate.fill("watch.html", Map.of("watched", PageTemplate.escaped(shown)));
    }

    private static void reply(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        boolean bodyless = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, bodyless ? -1 : bytes.length);
        if (!bodyless) {
            exchange.getResponseBody().write(bytes);
        }
    }

    /** Stops at once. */
    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
