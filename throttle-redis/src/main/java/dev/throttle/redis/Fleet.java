package dev.throttle.redis;

import dev.throttle.Throttle;
import dev.throttle.ThrottleListener;
import dev.throttle.ThrottleRegistry;
import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Preconditions;
import dev.throttle.lease.LeasedLimit;
import dev.throttle.time.TimeSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Processes that share, over a Redis, what they learned about servers, and fixed limits.
 *
 * <pre>{@code
 * Fleet fleet = Fleet.builder("shop", "redis://redis.internal").build();
 * ThrottleRegistry throttles = ThrottleRegistry.builder()
 *         .limit(fleet.tokenBucket(1000, Duration.ofSeconds(1)).build())
 *         .build();
 * fleet.join(throttles);
 * }</pre>
 *
 * <p>No request ever waits for Redis. While it is away every process goes by what it knows itself, and fixed limits by
 * what was set; everything comes back by itself. Registries that are to share need the same name in all processes.
 * Thread-safe.
 */
public final class Fleet implements AutoCloseable {

    private static final long READ_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long PROBE_NANOS = Duration.ofMillis(250).toNanos();

    private final String name;
    private final String client = UUID.randomUUID().toString().substring(0, 18);
    private final TimeSource time;
    private final Executor executor;
    private final FleetKeys keys;
    private final ServerClock clock = new ServerClock();
    private final RedisStore store;
    private final FleetMemory memory;
    final FleetLimits limits = new FleetLimits();
    private final List<Runnable> leaving = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private volatile boolean wasUp;
    private volatile boolean closed;

    private Fleet(Builder builder) {
        this.name = builder.name;
        this.time = builder.time;
        this.executor = builder.executor;
        this.keys = new FleetKeys(builder.name, builder.readableKeys);
        this.store = new RedisStore(
                builder.name,
                builder.connector.apply(builder),
                builder.timeout,
                builder.time,
                builder.executor,
                this::connected);
        this.memory = new FleetMemory(store, keys, clock, time, executor, client);
        store.connect();
        time.schedule(PROBE_NANOS, this::beat);
    }

    /**
     * {@return a builder of a fleet with a connection of its own}
     *
     * @param name the name of the fleet, the same in all processes
     * @param uri where Redis is, as Lettuce writes it: {@code redis://}, {@code rediss://} or {@code redis-sentinel://}
     */
    public static Builder builder(String name, String uri) {
        return builder(name, RedisURI.create(uri));
    }

    /**
     * {@return a builder of a fleet with a connection of its own}
     *
     * @param name the name of the fleet, the same in all processes
     * @param uri where Redis is, with user, password and TLS
     */
    public static Builder builder(String name, RedisURI uri) {
        Preconditions.required("uri", uri);
        return new Builder(name, builder -> Connector.of(uri, builder.timeout, builder.ssl));
    }

    /**
     * {@return a builder of a fleet that connects by a client which the program has} The client is not closed with the
     * fleet. How fast it connects again after an outage is the client's setting.
     *
     * @param name the name of the fleet, the same in all processes
     * @param client the client, which knows where Redis is
     */
    public static Builder builder(String name, RedisClient client) {
        Connector connector = Connector.of(Preconditions.required("client", client));
        return new Builder(name, builder -> connector);
    }

    /**
     * {@return a builder of a fleet on a cluster} All that a fleet stores is in one slot.
     *
     * @param name the name of the fleet, the same in all processes
     * @param client the client of the cluster; it is not closed with the fleet
     */
    public static Builder builder(String name, RedisClusterClient client) {
        Connector connector = Connector.of(Preconditions.required("client", client));
        return new Builder(name, builder -> connector);
    }

    private void connected(Connection made) {
        made.listen(memory.channel(), memory::onMessage);
        read();
    }

    private void beat() {
        if (closed) {
            return;
        }
        executor.execute(this::read);
        time.schedule(store.isUp() ? READ_NANOS : PROBE_NANOS, this::beat);
    }

    private void read() {
        CompletableFuture<Void> unused = memory.read().whenComplete((done, failure) -> {
            boolean isUp = store.isUp();
            if (isUp && !wasUp) {
                CompletableFuture<Void> unusedToo =
                        memory.recall().whenComplete((known, failed) -> ready.complete(null));
            }
            wasUp = isUp;
        });
    }

    /** {@return the name} */
    public String name() {
        return name;
    }

    /** {@return whether Redis answers} */
    public boolean isConnected() {
        return store.isUp();
    }

    /** {@return how many processes are in the fleet at the moment, this one included; 1 if it is not known} */
    public int processes() {
        return memory.alive();
    }

    /**
     * {@return how many processes use a key of a registry at the moment, this one included; 1 if it is not known}
     *
     * @param throttle the name of the registry
     * @param key the key
     */
    public int processes(String throttle, String key) {
        return memory.sharers(throttle, key);
    }

    /**
     * Shares what a registry's throttles learn, and has them learn from others. Keys that come later begin with what
     * the fleet knows.
     *
     * @param throttles the registry; its name and keys tell what belongs together
     * @return this fleet
     */
    public Fleet join(ThrottleRegistry throttles) {
        ThrottleListener listener = memory.listener(key -> (signal, age) -> throttles.hear(key, signal, age));
        if (throttles.addListener(listener)) {
            leaving.add(() -> throttles.removeListener(listener));
            throttles.all().forEach(listener::onCreated);
        }
        return this;
    }

    /**
     * Shares what a throttle learns, and has it learn from others.
     *
     * @param throttle the throttle; its name tells what belongs together
     * @return this fleet
     */
    public Fleet join(Throttle throttle) {
        ThrottleListener listener = memory.listener(key -> throttle::hear);
        if (throttle.addListener(listener)) {
            leaving.add(() -> throttle.removeListener(listener));
            listener.onCreated(throttle);
        }
        return this;
    }

    /**
     * {@return a builder of a token bucket that the whole fleet shares} In any time t no more than burst + rate * t go
     * out.
     *
     * @param permits tokens per period, from 1 to a billion
     * @param period the period, above zero, at most 31 days
     */
    public FleetLimitBuilder tokenBucket(long permits, Duration period) {
        return new FleetLimitBuilder(this, false, permits, period);
    }

    /**
     * {@return a builder of a sliding window that the whole fleet shares} In any interval of its length no more than
     * the limit go out.
     *
     * @param limit permits per window, from 1 to a billion
     * @param window the length of the window, above zero, at most 31 days
     */
    public FleetLimitBuilder slidingWindow(long limit, Duration window) {
        return new FleetLimitBuilder(this, true, limit, window);
    }

    LeasedLimit limit(FleetLimitBuilder builder) {
        return limits.add(builder.limit(builder.source(store, keys, clock, time, client), time, executor));
    }

    /** Leaves: gives back what was leased, and tells the others. Throttles go on by themselves. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        leaving.forEach(Runnable::run);
        limits.close();
        memory.leave();
        store.leave();
        time.schedule(PROBE_NANOS, () -> executor.execute(store::close));
    }

    @Override
    public String toString() {
        return "Fleet[" + name + (isConnected() ? "" : ", store away") + "]";
    }

    /** Collects the settings of a fleet. Not thread-safe. */
    public static final class Builder {

        private final String name;
        private final Function<Builder, Connector> connector;
        private Duration timeout = Duration.ofMillis(50);
        private Duration startTimeout = Duration.ofSeconds(1);
        private boolean readableKeys;
        private @Nullable SslOptions ssl;
        private TimeSource time = TimeSource.system();
        private Executor executor = CallbackPool.shared();

        private Builder(String name, Function<Builder, Connector> connector) {
            this.connector = connector;
            this.name = Preconditions.notBlank("name", name);
            Preconditions.check(
                    name.indexOf('{') < 0 && name.indexOf('}') < 0 && name.length() <= 100,
                    "name",
                    name,
                    "a text without braces, of at most 100 characters");
        }

        /**
         * Sets how long an answer of Redis may take; 50 ms by default. Nobody waits for it but the fleet's own work.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder timeout(Duration value) {
            this.timeout = Preconditions.positive("timeout", value);
            return this;
        }

        /**
         * Sets whom to trust and who this is where the URI asks for TLS, if not as the JVM does it. For a connection of
         * the fleet's own; without effect with a client.
         *
         * @param value the options
         * @return this builder
         */
        public Builder ssl(SslOptions value) {
            this.ssl = Preconditions.required("ssl", value);
            return this;
        }

        /**
         * Sets how long {@link #build} waits for Redis at most, so that the first request already goes by what the
         * fleet knows; a second by default. If it takes longer, the program begins without, and joins when it can.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder startTimeout(Duration value) {
            this.startTimeout = Preconditions.notNegative("startTimeout", value);
            return this;
        }

        /**
         * Shows keys in Redis as they are. By default they are hashed, with the name of the fleet, since a key may hold
         * a credential. All processes of a fleet need the same setting.
         *
         * @return this builder
         */
        public Builder readableKeys() {
            this.readableKeys = true;
            return this;
        }

        /**
         * Sets the clock and the timer: the same as those of the throttles. Those of the JVM by default.
         *
         * @param value the time source
         * @return this builder
         */
        public Builder time(TimeSource value) {
            this.time = Preconditions.required("time", value);
            return this;
        }

        /**
         * Sets where the fleet's own work is done; a shared pool of daemon threads by default. It must not run tasks on
         * the spot.
         *
         * @param value the executor
         * @return this builder
         */
        public Builder executor(Executor value) {
            this.executor = Preconditions.required("executor", value);
            return this;
        }

        /** {@return the fleet, connected or about to be} */
        public Fleet build() {
            Fleet fleet = new Fleet(this);
            try {
                fleet.ready.get(startTimeout.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (TimeoutException | ExecutionException e) {
                // It begins without.
            }
            return fleet;
        }
    }
}
