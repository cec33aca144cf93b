package dev.throttle.redis;

import dev.throttle.internal.CallbackPool;
import dev.throttle.internal.Preconditions;
import dev.throttle.lease.Fleet;
import dev.throttle.lease.fleet.FleetTerms;
import dev.throttle.lease.fleet.SharedFleet;
import dev.throttle.time.TimeSource;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes fleets that share through Redis: processes of many machines.
 *
 * <pre>{@code
 * Fleet fleet = RedisFleet.builder("shop", "redis://redis.internal").build();
 * }</pre>
 *
 * <p>The fleet reconnects automatically. For processes of one machine, a {@link dev.throttle.lease.FileFleet} needs no
 * Redis.
 */
public final class RedisFleet {

    private RedisFleet() {}

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
            this.name = FleetTerms.name(name);
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
            FleetTerms terms = new FleetTerms(name, startTimeout, readableKeys, time, executor);
            return SharedFleet.open(
                    terms, listener -> new RedisStore(name, connector.apply(this), timeout, time, executor, listener));
        }
    }
}
