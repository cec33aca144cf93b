package dev.throttle.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes down what scripts are sent, and answers as it is told to; without a socket and without threads. */
final class FakeRedis {

    /** The arguments of each script that was sent. */
    final List<List<String>> sent = new ArrayList<>();
    /** What is answered next; nothing, as long as there is none. */
    final Queue<Supplier<Answer>> answers = new ArrayDeque<>();

    /** As Lettuce gives it. */
    static final class Answer extends CompletableFuture<List<Object>> implements RedisFuture<List<Object>> {

        static Answer of(Object... fields) {
            Answer answer = new Answer();
            answer.complete(List.of(fields));
            return answer;
        }

        static Answer failed(Throwable failure) {
            Answer answer = new Answer();
            answer.completeExceptionally(failure);
            return answer;
        }

        @Override
        public @Nullable String getError() {
            return null;
        }

        @Override
        public boolean await(long timeout, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }

    Connector connector() {
        Connection connection = new Connection(
                proxy(StatefulConnection.class, Map.of("isOpen", args -> true)),
                proxy(RedisClusterAsyncCommands.class, Map.of("evalsha", this::run)),
                proxy(
                        StatefulRedisPubSubConnection.class,
                        Map.of(
                                "addListener", args -> true,
                                "async",
                                        args -> proxy(
                                                RedisPubSubAsyncCommands.class,
                                                Map.of("subscribe", unused -> new Answer())))));
        return new Connector(() -> connection, () -> {});
    }

    private Object run(Object[] args) {
        sent.add(List.of((String[]) args[3]));
        Supplier<Answer> next = answers.poll();
        return next == null ? new Answer() : next.get();
    }

    private interface Reaction {
        Object to(Object[] args);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // generic interfaces have no generic proxies
    private static <T> T proxy(Class<?> type, Map<String, Reaction> reactions) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            Reaction reaction = reactions.get(method.getName());
            if (reaction == null) {
                throw new UnsupportedOperationException(method.toString());
            }
            return reaction.to(args == null ? new Object[0] : args);
        });
    }
}
