package dev.throttle.spring.boot;

import dev.throttle.redis.RedisFleet;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.ssl.SslBundle;

/** How the fleet reaches its Redis, and what has to be closed after it. */
final class FleetConnection implements AutoCloseable {

    private final Function<String, RedisFleet.Builder> builder;
    private final @Nullable RedisClusterClient own;

    private FleetConnection(Function<String, RedisFleet.Builder> builder, @Nullable RedisClusterClient own) {
        this.builder = builder;
        this.own = own;
    }

    static FleetConnection of(RedisClient client) {
        return new FleetConnection(name -> RedisFleet.builder(name, client), null);
    }

    static FleetConnection of(RedisClusterClient client) {
        return new FleetConnection(name -> RedisFleet.builder(name, client), null);
    }

    static FleetConnection of(RedisURI uri) {
        return new FleetConnection(name -> RedisFleet.builder(name, uri), null);
    }

    RedisFleet.Builder builder(String name) {
        return builder.apply(name);
    }

    @Override
    public void close() {
        if (own != null) {
            own.shutdown();
        }
    }

    /** With what Spring Boot knows; kept apart, as an application with a client of its own may not have its classes. */
    static final class OfDetails {

        /** As with a single Redis. */
        private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

        /** The fleet has shorter time-outs of its own; until then a late answer is of use. */
        private static final Duration LEAST_TIMEOUT = Duration.ofMillis(500);
        /** How often a cluster is asked where its slots are; after a sign of a change, how often at most. */
        private static final Duration REFRESH = Duration.ofSeconds(5);

        private static final Duration LEAST_REFRESH = Duration.ofSeconds(1);

        private OfDetails() {}

        static FleetConnection connect(DataRedisConnectionDetails details, @Nullable Duration timeout) {
            Cluster cluster = details.getCluster();
            if (cluster != null) {
                RedisClusterClient client = clusterClient(details, cluster, timeout);
                return new FleetConnection(name -> RedisFleet.builder(name, client), client);
            }
            RedisURI uri = uri(details);
            SslBundle bundle = details.getSslBundle();
            return new FleetConnection(
                    name -> bundle == null
                            ? RedisFleet.builder(name, uri)
                            : RedisFleet.builder(name, uri).ssl(options(bundle)),
                    null);
        }

        private static RedisURI uri(DataRedisConnectionDetails details) {
            Sentinel sentinel = details.getSentinel();
            Standalone standalone = details.getStandalone();
            if (sentinel != null) {
                RedisURI uri = new RedisURI();
                uri.setSentinelMasterId(sentinel.getMaster());
                uri.setDatabase(sentinel.getDatabase());
                for (Node node : sentinel.getNodes()) {
                    uri.getSentinels()
                            .add(secured(
                                    RedisURI.create(node.host(), node.port()),
                                    details,
                                    sentinel.getUsername(),
                                    sentinel.getPassword()));
                }
                return secured(uri, details, details.getUsername(), details.getPassword());
            }
            if (standalone == null) {
                throw new IllegalStateException(
                        "the Redis of the application is neither a single one, nor has it sentinels or a cluster: "
                                + "define a bean of Lettuce's RedisClient for the fleet");
            }
            RedisURI uri = RedisURI.create(standalone.getHost(), standalone.getPort());
            uri.setDatabase(standalone.getDatabase());
            return secured(uri, details, details.getUsername(), details.getPassword());
        }

        private static RedisURI secured(
                RedisURI uri,
                DataRedisConnectionDetails details,
                @Nullable String username,
                @Nullable String password) {
            if (username != null || password != null) {
                uri.setCredentialsProvider(
                        new StaticCredentialsProvider(username, password == null ? null : password.toCharArray()));
            }
            uri.setSsl(details.getSslBundle() != null);
            return uri;
        }

        private static RedisClusterClient clusterClient(
                DataRedisConnectionDetails details, Cluster cluster, @Nullable Duration timeout) {
            List<RedisURI> nodes = new ArrayList<>();
            for (Node node : cluster.getNodes()) {
                RedisURI uri = RedisURI.create(node.host(), node.port());
                uri.setTimeout(CONNECT_TIMEOUT);
                nodes.add(secured(uri, details, details.getUsername(), details.getPassword()));
            }
            RedisClusterClient client = RedisClusterClient.create(nodes);
            ClusterClientOptions.Builder options = ClusterClientOptions.builder()
                    .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                    .timeoutOptions(TimeoutOptions.enabled(
                            timeout == null || timeout.compareTo(LEAST_TIMEOUT) < 0 ? LEAST_TIMEOUT : timeout))
                    .socketOptions(SocketOptions.builder()
                            .connectTimeout(CONNECT_TIMEOUT)
                            .keepAlive(true)
                            .build())
                    .topologyRefreshOptions(ClusterTopologyRefreshOptions.builder()
                            .enablePeriodicRefresh(REFRESH)
                            .adaptiveRefreshTriggersTimeout(LEAST_REFRESH)
                            .build());
            SslBundle bundle = details.getSslBundle();
            client.setOptions(
                    bundle == null
                            ? options.build()
                            : options.sslOptions(options(bundle)).build());
            return client;
        }

        private static SslOptions options(SslBundle bundle) {
            SslOptions.Builder options = SslOptions.builder()
                    .keyManager(bundle.getManagers().getKeyManagerFactory())
                    .trustManager(bundle.getManagers().getTrustManagerFactory());
            String[] ciphers = bundle.getOptions().getCiphers();
            String[] protocols = bundle.getOptions().getEnabledProtocols();
            if (ciphers != null) {
                options.cipherSuites(ciphers);
            }
            if (protocols != null) {
                options.protocols(protocols);
            }
            return options.build();
        }
    }
}
