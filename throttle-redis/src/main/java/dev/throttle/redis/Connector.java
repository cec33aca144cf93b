package dev.throttle.redis;

import dev.throttle.lease.fleet.FailureText;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the connections of a fleet, and closes the client if it is the fleet's own.
 *
 * @param connect makes them; blocks
 * @param shutdown closes what was made for it
 */
record Connector(Supplier<Connection> connect, Runnable shutdown) {

    private static final Duration RECONNECT = Duration.ofMillis(250);
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

    static Connector of(RedisClient client) {
        return new Connector(() -> connect(client), () -> {});
    }

    static Connector of(RedisClusterClient client) {
        return new Connector(() -> connect(client), () -> {});
    }

    private static Connection connect(RedisClient client) {
        StatefulRedisConnection<String, String> state = client.connect();
        return connection(state, state.async(), client::connectPubSub);
    }

    private static Connection connect(RedisClusterClient client) {
        StatefulRedisClusterConnection<String, String> state = client.connect();
        return connection(state, state.async(), client::connectPubSub);
    }

    /** Connects with a time-out, for servers that accept connections and do not answer. */
    private static Connection connect(RedisClient client, RedisURI uri) {
        StatefulRedisConnection<String, String> state = await(client.connectAsync(StringCodec.UTF8, uri));
        return connection(state, state.async(), () -> await(client.connectPubSubAsync(StringCodec.UTF8, uri)));
    }

    /** Adds the connection for messages to that for commands, which is closed if that fails. */
    @SuppressWarnings("FutureReturnValueIgnored") // closing is not waited for
    private static Connection connection(
            StatefulConnection<String, String> state,
            RedisClusterAsyncCommands<String, String> commands,
            Supplier<StatefulRedisPubSubConnection<String, String>> messages) {
        try {
            return new Connection(state, commands, messages.get());
        } catch (RuntimeException e) {
            state.closeAsync();
            throw e;
        }
    }

    private static <C extends StatefulConnection<String, String>> C await(CompletionStage<C> connecting) {
        CompletableFuture<C> future = connecting.toCompletableFuture();
        try {
            return future.get(CONNECT_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw giveUp(future, "interrupted", e);
        } catch (ExecutionException e) {
            throw giveUp(future, FailureText.of(e), e);
        } catch (TimeoutException e) {
            throw giveUp(future, "no answer within " + CONNECT_TIMEOUT.toSeconds() + " s", e);
        }
    }

    /** {@return the exception for a failed connection} If the connection is made later, it is closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // closing is not waited for
    private static RedisException giveUp(
            CompletableFuture<? extends StatefulConnection<String, String>> future, String why, Exception cause) {
        future.thenAccept(StatefulConnection::closeAsync);
        return new RedisConnectionException("cannot connect: " + why, cause);
    }

    /** With a client of its own: commands are refused while disconnected, and it reconnects four times a second. */
    @SuppressWarnings("FutureReturnValueIgnored") // closing is not waited for
    static Connector of(RedisURI uri, Duration timeout, @Nullable SslOptions ssl) {
        ClientResources resources = ClientResources.builder()
                .ioThreadPoolSize(2)
                .computationThreadPoolSize(2)
                .reconnectDelay(Delay.constant(RECONNECT))
                .build();
        RedisClient client = RedisClient.create(resources, uri);
        client.setOptions(ClientOptions.builder()
                .sslOptions(ssl == null ? SslOptions.create() : ssl)
                .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(
                        TimeoutOptions.enabled(timeout.compareTo(RedisStore.LATE) > 0 ? timeout : RedisStore.LATE))
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(CONNECT_TIMEOUT)
                        .keepAlive(true)
                        .build())
                .build());
        return new Connector(() -> connect(client, uri), () -> {
            client.shutdownAsync(0, 1, TimeUnit.SECONDS)
                    .whenComplete((done, failure) -> resources.shutdown(0, 1, TimeUnit.SECONDS));
        });
    }
}
