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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A group of processes that share through Redis what they learn about servers, and fixed limits.
 *
 * <pre>{@code
 * Fleet fleet = Fleet.builder("shop", "redis://redis.internal").build();
 * ThrottleRegistry throttles = ThrottleRegistry.builder()
 *         .limit(fleet.tokenBucket(1000, Duration.ofSeconds(1)).build())
 *         .build();
 * fleet.join(throttles);
 * }</pre>
 *
 * <p>No request waits for Redis while its process has permits. While Redis is unavailable, each process relies on what
 * it knows itself, and fixed limits follow {@link FleetLimitBuilder#whenAway}. The fleet reconnects automatically.
 * Registries that share need the same name in all processes. Thread-safe.
 */
public final class Fleet implements AutoCloseable {

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
    private final Pulse pulse;
    private volatile boolean closed;

    private Fleet(Builder builder) {
        this.name = builder.name;
        this.time = builder.time;
        this.executor = builder.executor;
        this.keys = new FleetKeys(builder.name, builder.readableKeys);
        Connector connector = builder.connector.apply(builder);
        this.store = new RedisStore(name, connector, builder.timeout, time, executor, this::connected);
        this.memory = new FleetMemory(store, keys, clock, time, executor, client);
        this.pulse = new Pulse(store, memory, limits, time, executor);
        store.connect();
        pulse.start();
    }

    /**
     * {@return a builder of a fleet with its own connection}
     *
     * @param name the name of the fleet, the same in all processes
     * @param uri the address of Redis, in Lettuce's form: {@code redis://}, {@code rediss://} or
     *     {@code redis-sentinel://}
     */
    public static Builder builder(String name, String uri) {
        return builder(name, RedisURI.create(uri));
    }

    /**
     * {@return a builder of a fleet with its own connection}
     *
     * @param name the name of the fleet, the same in all processes
     * @param uri the address of Redis, with user, password and TLS
     */
    public static Builder builder(String name, RedisURI uri) {
        Preconditions.required("uri", uri);
        return new Builder(name, builder -> Connector.of(uri, builder.timeout, builder.ssl));
    }

    /**
     * {@return a builder of a fleet that uses an existing client} The client is not closed with the fleet. Its settings
     * decide how fast it reconnects after an outage.
     *
     * @param name the name of the fleet, the same in all processes
     * @param client the client, which has the address of Redis
     */
    public static Builder builder(String name, RedisClient client) {
        Connector connector = Connector.of(Preconditions.required("client", client));
        return new Builder(name, builder -> connector);
    }

    /**
     * {@return a builder of a fleet on a Redis cluster} All data of a fleet is in one slot.
     *
     * @param name the name of the fleet, the same in all processes
     * @param client the client of the cluster; it is not closed with the fleet
     */
    public static Builder builder(String name, RedisClusterClient client) {
        Connector connector = Connector.of(Preconditions.required("client", client));
        return new Builder(name, builder -> connector);
    }

    private void connected(Connection made) {
        CompletionStage<Void> unused = made.listen(memory.channel(), memory::onMessage)
                .whenComplete((done, failure) -> store.noteIfForbidden(failure));
        store.checkEviction();
        pulse.read();
    }

    /** {@return the name} */
    public String name() {
        return name;
    }

    /** {@return whether Redis answers} */
    public boolean isConnected() {
        return store.isUp();
    }

    /** {@return how many processes are in the fleet now, including this one; 1 if unknown} */
    public int processes() {
        return memory.alive();
    }

    /**
     * {@return how often this process found that Redis had lost the state of a limit, by a restart, a flush or an
     * eviction} The state was restored then as if all were used.
     */
    public long losses() {
        return store.losses();
    }

    /**
     * {@return how many processes use a key of a registry now, including this one; 1 if unknown}
     *
     * @param throttle the name of the registry
     * @param key the key
     */
    public int processes(String throttle, String key) {
        return memory.sharers(throttle, key);
    }

    /**
     * Makes a registry's throttles share what they learn with the fleet. Keys that are made later start with what the
     * fleet knows.
     *
     * @param throttles the registry; its name and keys must be the same in all processes
     * @return this fleet
     */
    public Fleet join(ThrottleRegistry throttles) {
        ThrottleListener listener = memory.listener(key -> (signal, age) -> throttles.observe(key, signal, age));
        if (throttles.addListener(listener)) {
            leaving.add(() -> throttles.removeListener(listener));
            throttles.all().forEach(listener::onCreated);
        }
        return this;
    }

    /**
     * Makes a throttle share what it learns with the fleet.
     *
     * @param throttle the throttle; its name must be the same in all processes
     * @return this fleet
     */
    public Fleet join(Throttle throttle) {
        ThrottleListener listener = memory.listener(key -> throttle::observe);
        if (throttle.addListener(listener)) {
            leaving.add(() -> throttle.removeListener(listener));
            listener.onCreated(throttle);
        }
        return this;
    }

    /**
     * {@return a builder of a token bucket that the whole fleet shares} In any time t at most burst + rate * t permits
     * are used.
     *
     * @param permits tokens per period, from 1 to a billion
     * @param period the period, above zero, at most 31 days
     */
    public FleetLimitBuilder tokenBucket(long permits, Duration period) {
        return new FleetLimitBuilder(this, false, permits, period);
    }

    /**
     * {@return a builder of a sliding window that the whole fleet shares} In any interval of its length at most the
     * limit is used.
     *
     * @param limit permits per window, from 1 to a billion
     * @param window the length of the window, above zero, at most 31 days
     */
    public FleetLimitBuilder slidingWindow(long limit, Duration window) {
        return new FleetLimitBuilder(this, true, limit, window);
    }

    LeasedLimit limit(FleetLimitBuilder builder) {
        RedisLeases source = builder.source(store, keys, clock, time, client);
        return limits.add(builder.limit(source, time, executor), source);
    }

    /**
     * Leaves the fleet. Leased permits are given back, and the other processes are informed. Throttles continue on
     * their own. A closed fleet cannot be joined, and makes no limits.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        pulse.stop();
        leaving.forEach(Runnable::run);
        limits.close();
        memory.leave();
        store.leave();
        time.schedule(Pulse.PROBE_NANOS, store::closeSoon);
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
         * Sets the shortest timeout of Redis commands. The default is 50 ms. If answers usually take longer than half
         * of it, the timeout is twice as long as they take. Only the fleet's background work waits for them.
         *
         * @param value above zero
         * @return this builder
         */
        public Builder timeout(Duration value) {
            this.timeout = Preconditions.positive("timeout", value);
            return this;
        }

        /**
         * Sets the TLS options, such as trusted certificates and the client certificate, if the URI asks for TLS. The
         * default is those of the JVM. It has no effect on an existing client.
         *
         * @param value the options
         * @return this builder
         */
        public Builder ssl(SslOptions value) {
            this.ssl = Preconditions.required("ssl", value);
            return this;
        }

        /**
         * Sets how long {@link #build} waits for Redis at most, so that the first request already uses what the fleet
         * knows. The default is one second. If Redis takes longer, the process starts alone and joins when it can.
         *
         * @param value zero or more
         * @return this builder
         */
        public Builder startTimeout(Duration value) {
            this.startTimeout = Preconditions.notNegative("startTimeout", value);
            return this;
        }

        /**
         * Stores keys in Redis as readable text. By default they are hashed together with the name of the fleet,
         * because a key may contain a credential. All processes of a fleet need the same setting.
         *
         * @return this builder
         */
        public Builder readableKeys() {
            this.readableKeys = true;
            return this;
        }

        /**
         * Sets the clock and the timer, which must be those of the throttles. The default is those of the JVM.
         *
         * @param value the time source
         * @return this builder
         */
        public Builder time(TimeSource value) {
            this.time = Preconditions.required("time", value);
            return this;
        }

        /**
         * Sets the executor of the fleet's background work. The default is a shared pool of daemon threads. The
         * executor must not run tasks on the calling thread.
         *
         * @param value the executor
         * @return this builder
         */
        public Builder executor(Executor value) {
            this.executor = Preconditions.required("executor", value);
            return this;
        }

        /** {@return the fleet, which is connected or will connect in the background} */
        public Fleet build() {
            Fleet fleet = new Fleet(this);
            try {
                fleet.pulse.ready.get(startTimeout.toNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (TimeoutException | ExecutionException e) {
                // It begins without.
            }
            return fleet;
        }
    }
}
