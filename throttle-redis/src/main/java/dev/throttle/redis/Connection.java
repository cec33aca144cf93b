package dev.throttle.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The two connections of a fleet.
 *
 * @param state of the commands' connection
 * @param commands a single server's or a cluster's
 * @param messages hears what is published
 */
record Connection(
        StatefulConnection<String, String> state,
        RedisClusterAsyncCommands<String, String> commands,
        StatefulRedisPubSubConnection<String, String> messages) {

    boolean isOpen() {
        return state.isOpen();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for it
    void close() {
        state.closeAsync();
        messages.closeAsync();
    }
}
