package dev.throttle.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;

/**
 * The two connections of a fleet.
 *
 * @param state of the commands' connection
 * @param commands a single server's or a cluster's
 * @param messages receives what is published
 */
record Connection(
        StatefulConnection<String, String> state,
        RedisClusterAsyncCommands<String, String> commands,
        StatefulRedisPubSubConnection<String, String> messages) {

    /** {@return completes when it listens; from then on Lettuce subscribes again by itself} */
    CompletionStage<Void> listen(String channel, BiConsumer<String, String> hear) {
        messages.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String from, String text) {
                hear.accept(from, text);
            }
        });
        return messages.async().subscribe(channel);
    }

    boolean isOpen() {
        return state.isOpen();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // closing is not waited for
    void close() {
        state.closeAsync();
        messages.closeAsync();
    }
}
