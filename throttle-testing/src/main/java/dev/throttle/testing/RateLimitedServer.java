package dev.throttle.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.throttle.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server on the loopback interface that limits its clients as real ones do: it answers 200, or refuses with
 * 429, and its headers tell what is left.
 *
 * <pre>{@code
 * try (RateLimitedServer server = RateLimitedServer.builder().window(10, Duration.ofMinutes(1)).start()) {
 *     // send requests to server.uri("/")
 * }
 * }</pre>
 *
 * <p>Thread-safe. {@link #close} stops it and its threads.
 */
public final class RateLimitedServer implements AutoCloseable {

    private static final int OK = 200;
    private static final int TOO_MANY_REQUESTS = 429;

    private final Object lock = new Object();
    private final ServerLimit limit;
    private final Headers headers;
    private final boolean retryAfter;
    private final TimeSource time;
    private final HttpServer server;
    private final ExecutorService executor;

    private int refusalsLeft;
    private int refusalStatus;
    private @Nullable Duration refusalWait;
    private long accepted;
    private long refused;

    private RateLimitedServer(Builder builder) {
        this.limit = new ServerLimit(builder.capacity, builder.period, builder.isBucket);
        this.headers = builder.headers;
        this.retryAfter = builder.retryAfter;
        this.time = builder.time;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        executor = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "rate-limited-server");
            thread.setDaemon(true);
            return thread;
        });
        server.setExecutor(executor);
        server.createContext("/", this::answer);
        server.start();
    }

    /** {@return a builder of a server that accepts 10 requests a second, with headers and {@code Retry-After}} */
    public static Builder builder() {
        return new Builder();
    }

    /** How a server tells what is left of its limit. */
    public enum Headers {
        /** Not at all. */
        NONE,
        /** {@code X-RateLimit-Limit}, {@code X-RateLimit-Remaining} and {@code X-RateLimit-Reset}, in seconds. */
        X_RATELIMIT,
        /** {@code RateLimit} and {@code RateLimit-Policy}, as in the IETF's draft. */
        RATELIMIT
    }

    private record Reply(int status, @Nullable String waitSeconds) {}

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            Reply reply;
            synchronized (lock) {
                reply = reply(exchange, time.nanoTime());
            }
            if (reply.waitSeconds != null) {
                exchange.getResponseHeaders().set("Retry-After", reply.waitSeconds);
            }
            byte[] body = (reply.status == OK ? "accepted" : "refused").getBytes(StandardCharsets.US_ASCII);
            exchange.sendResponseHeaders(reply.status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private Reply reply(HttpExchange exchange, long now) {
        if (refusalsLeft > 0) {
            refusalsLeft--;
            refused++;
            return new Reply(refusalStatus, refusalWait == null ? null : String.valueOf(refusalWait.toSeconds()));
        }
        boolean taken = limit.take(now);
        accepted += taken ? 1 : 0;
        refused += taken ? 0 : 1;
        tellQuota(exchange.getResponseHeaders(), now);
        boolean names = !taken && retryAfter;
        return new Reply(taken ? OK : TOO_MANY_REQUESTS, names ? String.valueOf(limit.retryAfterSeconds(now)) : null);
    }

    private void tellQuota(com.sun.net.httpserver.Headers target, long now) {
        if (headers == Headers.X_RATELIMIT) {
            target.set("X-RateLimit-Limit", String.valueOf(limit.capacity()));
            target.set("X-RateLimit-Remaining", String.valueOf(limit.remaining()));
            target.set("X-RateLimit-Reset", String.valueOf(limit.resetSeconds(now)));
        } else if (headers == Headers.RATELIMIT) {
            target.set("RateLimit-Policy", "\"default\";q=" + limit.capacity() + ";w=" + limit.periodSeconds());
            target.set("RateLimit", "\"default\";r=" + limit.remaining() + ";t=" + limit.resetSeconds(now));
        }
    }

    /**
     * {@return the address of a resource on this server}
     *
     * @param path its path, with a leading slash
     */
    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    /**
     * Refuses the next requests, whatever is left of the limit. They take nothing from it.
     *
     * @param count how many, not negative; zero ends it
     * @param status the status of the refusals, for example 503
     * @param wait the {@code Retry-After}, in whole seconds; null for none
     */
    public void refuseNext(int count, int status, @Nullable Duration wait) {
        synchronized (lock) {
            refusalsLeft = count;
            refusalStatus = status;
            refusalWait = wait;
        }
    }

    /** {@return how many requests were accepted so far} */
    public long accepted() {
        synchronized (lock) {
            return accepted;
        }
    }

    /** {@return how many requests were refused so far} */
    public long refused() {
        synchronized (lock) {
            return refused;
        }
    }

    /** Stops the server, and drops the requests that it is answering. */
    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }

    /** Collects the settings of a server. Not thread-safe. */
    public static final class Builder {

        private int capacity = 10;
        private Duration period = Duration.ofSeconds(1);
        private boolean isBucket;
        private Headers headers = Headers.X_RATELIMIT;
        private boolean retryAfter = true;
        private TimeSource time = TimeSource.system();

        private Builder() {}

        /**
         * Limits by windows, each of which begins when the one before it ends; the first with the first request.
         *
         * @param requests the requests accepted in each, at least 1
         * @param length the length of a window, above zero
         * @return this builder
         */
        public Builder window(int requests, Duration length) {
            return limit(requests, length, false);
        }

        /**
         * Limits by a bucket that is full at first and fills steadily.
         *
         * @param size the requests that it holds, at least 1
         * @param fillTime how long it takes to fill an empty bucket, above zero
         * @return this builder
         */
        public Builder bucket(int size, Duration fillTime) {
            return limit(size, fillTime, true);
        }

        private Builder limit(int requests, Duration length, boolean bucket) {
            if (requests < 1 || length.isZero() || length.isNegative()) {
                throw new IllegalArgumentException(
                        "the limit must be at least 1 request in a duration above zero, but was " + requests + " in "
                                + length);
            }
            this.capacity = requests;
            this.period = length;
            this.isBucket = bucket;
            return this;
        }

        /**
         * Sets how the server tells what is left; {@link Headers#X_RATELIMIT} by default.
         *
         * @param value which headers
         * @return this builder
         */
        public Builder headers(Headers value) {
            this.headers = value;
            return this;
        }

        /**
         * Sets whether a 429 has a {@code Retry-After}; by default it has.
         *
         * @param value whether it has
         * @return this builder
         */
        public Builder retryAfter(boolean value) {
            this.retryAfter = value;
            return this;
        }

        /**
         * Sets the time by which the limit is renewed; the system's by default. A test with virtual time gives the same
         * to the server and to the throttle.
         *
         * @param value the time source
         * @return this builder
         */
        public Builder time(TimeSource value) {
            this.time = value;
            return this;
        }

        /** {@return a server that is running, on a free port} */
        public RateLimitedServer start() {
            return new RateLimitedServer(this);
        }
    }
}
