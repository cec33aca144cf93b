package dev.throttle.lab.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A simulated server behind HTTP, on loopback only. Any path but {@code /stats} is limited; {@code /stats} answers the
 * counts as JSON.
 *
 * <p>The server's time may go faster than the client's: with a time scale of 10 an hour's quota comes back in six
 * minutes. Headers are in the client's seconds, as a client knows no others.
 */
public final class LabServer implements AutoCloseable {

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final String NO_DELAY = "sun.net.httpserver.nodelay";
    private static final double LARGEST_SCALE = 10_000;
    private static final long BIND_AGAIN_NANOS = 5_000_000;
    private static final Duration LONGEST_LATENCY = Duration.ofHours(1);

    private final int port;
    private final ExecutorService threads;
    /** Shuts the door and opens it again when connections are to be refused. */
    private final ScheduledExecutorService door = Executors.newSingleThreadScheduledExecutor(LabServer::daemon);

    /** Guards the door. */
    private final Object doorLock = new Object();

    private HttpServer http;
    private boolean isClosed;
    private final ServerSpec spec;
    private final ServerSpec announced;
    private final double timeScale;
    private final long halfLatencyNanos;
    private final long startedAt = System.nanoTime();

    /** Guards the simulated server and the counts. */
    private final Object lock = new Object();

    private final LongSupplier costs;
    private final SimulatedServer server;
    private long accepted;
    private long refused;

    private LabServer(int port, ServerSpec spec, Duration latency, double timeScale, LongSupplier costs)
            throws IOException {
        this.costs = costs;
        this.spec = spec;
        this.timeScale = timeScale;
        this.announced = spec.announced(
                Duration.ofNanos(toRealNanos(spec.window().toNanos())),
                Duration.ofNanos(toRealNanos(spec.script().resetSkew().toNanos())));
        this.server = spec.start();
        this.halfLatencyNanos = toRealNanos(latency.toNanos()) / 2;
        // Without it each answer waits for the client's acknowledgement of the head.
        System.setProperty(NO_DELAY, "true");
        this.threads = Executors.newCachedThreadPool(LabServer::daemon);
        this.http = listen(port);
        this.port = http.getAddress().getPort();
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "lab-server");
        thread.setDaemon(true);
        return thread;
    }

    private HttpServer listen(int on) throws IOException {
        HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), on), 0);
        made.setExecutor(threads);
        made.createContext("/", this::handle);
        made.createContext("/stats", this::handleStats);
        made.start();
        return made;
    }

    /** While connections are to be refused nothing listens. */
    private void scheduleOutages() {
        for (Outage outage : spec.script().outages()) {
            if (outage.status() == Answer.REFUSED) {
                at(outage.from(), () -> http.stop(0));
                at(outage.end(), this::listenAgain);
            }
        }
    }

    /** Meanwhile an outgoing connection of any program may have been given the port, so it waits until that is free. */
    private void listenAgain() throws IOException {
        try {
            http = listen(port);
        } catch (BindException e) {
            in(BIND_AGAIN_NANOS, this::listenAgain);
        }
    }

    /** Something to do with the door. */
    private interface Turn {
        void run() throws IOException;
    }

    private void at(Duration time, Turn turn) {
        in(toRealNanos(time.toNanos()) - (System.nanoTime() - startedAt), turn);
    }

    private void in(long delayNanos, Turn turn) {
        ScheduledFuture<?> unused = door.schedule(
                () -> {
                    synchronized (doorLock) {
                        if (!isClosed) {
                            turn.run();
                        }
                    }
                    return null;
                },
                delayNanos,
                TimeUnit.NANOSECONDS);
    }

    /**
     * Starts a server.
     *
     * @param port the port, 0 for any free one
     * @param spec how it limits
     * @param latency the server's time from request to answer, from zero to an hour
     * @param timeScale how much faster the server's time goes than the client's, above 0
     * @return the server
     * @throws IOException if the port is not free
     */
    public static LabServer start(int port, ServerSpec spec, Duration latency, double timeScale) throws IOException {
        return start(port, spec, latency, timeScale, () -> 0);
    }

    /**
     * Starts a server.
     *
     * @param port the port, 0 for any free one
     * @param spec how it limits
     * @param latency the server's time from request to answer, from zero to an hour
     * @param timeScale how much faster the server's time goes than the client's, above 0
     * @param costs what each request costs if the server counts costs, input and output alike
     * @return the server
     * @throws IOException if the port is not free
     */
    public static LabServer start(int port, ServerSpec spec, Duration latency, double timeScale, LongSupplier costs)
            throws IOException {
        Preconditions.check(
                timeScale > 0 && timeScale <= LARGEST_SCALE,
                "--time-scale",
                timeScale,
                "a number above 0, " + (int) LARGEST_SCALE + " at most");
        Preconditions.check(
                !latency.isNegative() && latency.compareTo(LONGEST_LATENCY) <= 0,
                "--latency",
                DurationText.format(latency),
                "a duration from 0s to 1h");
        LabServer server = new LabServer(port, spec, latency, timeScale, costs);
        server.scheduleOutages();
        return server;
    }

    /** {@return where it listens} */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + port);
    }

    private long toRealNanos(long nanos) {
        return Math.max(nanos == 0 ? 0 : 1, (long) (nanos / timeScale));
    }

    /** {@return the server's time} */
    private long now() {
        return (long) ((System.nanoTime() - startedAt) * timeScale);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            TimeUnit.NANOSECONDS.sleep(halfLatencyNanos);
            long cost = cost();
            Answer answer = answer(new Load(cost, cost, 1, false)
                    .over(exchange.getRemoteAddress().getPort()));
            if (answer.isConnectionRefused()) {
                return; // it came just before the door was shut
            }
            TimeUnit.NANOSECONDS.sleep(halfLatencyNanos + toRealNanos(answer.heldNanos()));
            announced.writeHeaders(answer, System.currentTimeMillis(), exchange.getResponseHeaders()::add);
            if (cost > 0 && answer.isAccepted()) {
                reply(exchange, answer.status(), "application/json", "{\"usage\":{\"total_tokens\":" + cost + "}}\n");
            } else {
                reply(exchange, answer.status(), "text/plain", answer.isAccepted() ? "ok\n" : "refused\n");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@return what the next request costs; at most what the server can grant at once} */
    private long cost() {
        TokenLimits limits = spec.tokens();
        if (limits == null) {
            return 0;
        }
        synchronized (lock) {
            return Math.min(costs.getAsLong(), Math.min(limits.most(0), limits.most(1)));
        }
    }

    private Answer answer(Load load) {
        synchronized (lock) {
            Answer answer = server.answer(now(), load);
            if (answer.isAccepted()) {
                accepted++;
            } else {
                refused++;
            }
            Answer told =
                    answer.resetNanos() == Answer.UNKNOWN ? answer : answer.reset(toRealNanos(answer.resetNanos()));
            told = told.telling(told.limits().stream()
                    .map(each -> each.reset(toRealNanos(each.resetNanos())))
                    .toList());
            told = told.blockedNanos() < 0 ? told : told.refusedFor(toRealNanos(told.blockedNanos()));
            return told.retryAfterNanos() < 0 ? told : told.retryAfter(toRealNanos(told.retryAfterNanos()));
        }
    }

    private void handleStats(HttpExchange exchange) throws IOException {
        try (exchange) {
            reply(exchange, Answer.OK, "application/json", stats() + "\n");
        }
    }

    /**
     * {@return the counts as JSON: requests, accepted and refused ones, what is left of the quota, and the server's
     * time since its start in seconds}
     */
    public String stats() {
        synchronized (lock) {
            long now = now();
            BigDecimal seconds = BigDecimal.valueOf(now, 9).setScale(3, RoundingMode.DOWN);
            return "{\"server\":\"" + Words.of(spec.kind()) + "\",\"requests\":" + (accepted + refused)
                    + ",\"accepted\":"
                    + accepted + ",\"refused\":" + refused + ",\"remaining\":" + server.remaining(now)
                    + ",\"elapsedSeconds\":" + seconds.toPlainString() + "}";
        }
    }

    private static void reply(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean bodyless = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, bodyless ? -1 : bytes.length);
        if (!bodyless) {
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(bytes);
            }
        }
    }

    /** Stops at once. */
    @Override
    public void close() {
        synchronized (doorLock) {
            isClosed = true;
            http.stop(0);
        }
        door.shutdownNow();
        threads.shutdownNow();
    }
}
