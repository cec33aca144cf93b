package dev.throttle.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A server on loopback that limits its clients as the Heroku API does, with the generic cell rate algorithm: 4500
 * tokens at most, one more every 0.8 s, 429 when there is none, and {@code RateLimit-Remaining} in every response. Its
 * time can run faster than ours. At its first request it has no tokens, as after a busy hour.
 */
public final class GcraServer implements AutoCloseable {

    private static final int CAPACITY = 4500;
    private static final Duration INTERVAL = Duration.ofMillis(800);
    /** What a request to the original took on average. */
    private static final Duration LATENCY = Duration.ofMillis(165);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final int timeScale;
    private final long intervalNanos;
    private final long capacityNanos;
    private final long latencyMicros;
    /** When all tokens will be back: the one number that the algorithm needs. */
    private long fullAt;

    private boolean isAsked;

    /**
     * Starts a server on a free port.
     *
     * @param timeScale how many times faster than ours its time runs
     * @throws IOException if there is no port
     */
    public GcraServer(int timeScale) throws IOException {
        this(timeScale, INTERVAL.dividedBy(timeScale));
    }

    /** Starts a server that grants one request in each interval, however fast its time runs. */
    GcraServer(int timeScale, Duration interval) throws IOException {
        this.timeScale = timeScale;
        intervalNanos = interval.toNanos();
        capacityNanos = CAPACITY * intervalNanos;
        latencyMicros = LATENCY.toNanos() / timeScale / 1000;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** {@return the server's address} */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }

    /** {@return how many times faster than ours its time runs} */
    public int timeScale() {
        return timeScale;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            pause();
            long remaining = take();
            exchange.getResponseHeaders().set("RateLimit-Remaining", Long.toString(Math.max(0, remaining)));
            exchange.sendResponseHeaders(remaining < 0 ? 429 : 200, -1);
        }
    }

    private void pause() {
        try {
            TimeUnit.MICROSECONDS.sleep(latencyMicros);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@return how many tokens remain; -1 if there was none to take} */
    private synchronized long take() {
        long now = System.nanoTime();
        if (!isAsked) {
            isAsked = true;
            fullAt = now + capacityNanos;
        }
        long base = fullAt - now > 0 ? fullAt : now;
        long room = capacityNanos - (base + intervalNanos - now);
        if (room < 0) {
            return -1;
        }
        fullAt = base + intervalNanos;
        return room / intervalNanos;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
