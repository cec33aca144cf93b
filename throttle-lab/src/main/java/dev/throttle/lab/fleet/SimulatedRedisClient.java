package dev.throttle.lab.fleet;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the fleet of one process takes for a client of Redis. Its connections lead to the simulated store: of all that a
 * connection can do they know the few things that a fleet does.
 */
@SuppressWarnings({
    "FutureReturnValueIgnored", // who calls a proxy has them
    "TypeParameterUnusedInFormals" // generic interfaces have no generic proxies
})
final class SimulatedRedisClient extends RedisClient {

    /** The time-out that a fleet gives its own client; there it is real time, and here it is not. */
    private static final long TIMEOUT_NANOS = Duration.ofMillis(500).toNanos();

    /** Nothing here ever needs a thread. */
    private static final ClientResources RESOURCES = ClientResources.builder()
            .commandLatencyRecorder(CommandLatencyRecorder.disabled())
            .build();

    private final SimulatedStore store;
    private final String name;
    /** The listeners of each connection for messages that is open. */
    private final List<List<RedisPubSubListener<String, String>>> hearing = new ArrayList<>();

    private @Nullable String realName;
    private boolean isCutOff;
    private Predicate<String[]> isLost = args -> false;
    private int slowAnswers;
    private Duration slowBy = Duration.ZERO;
    private int underway;

    SimulatedRedisClient(SimulatedStore store) {
        super(RESOURCES, RedisURI.create("redis://simulated"));
        this.store = store;
        this.name = String.format("process-%06d", store.join(this));
    }

    /** The process does not reach the store any more, or again; others do. */
    void cutOff(boolean value) {
        isCutOff = value;
    }

    /** Scripts with such arguments arrive, and what they answer does not. */
    void loses(Predicate<String[]> arguments) {
        isLost = arguments;
    }

    /** The first answers take longer. */
    void firstAnswersTake(int count, Duration longer) {
        slowAnswers = count;
        slowBy = longer;
    }

    private boolean isAway() {
        return isCutOff || store.isAway();
    }

    /** {@return whether it waits for no answer} */
    boolean isIdle() {
        return underway == 0;
    }

    @Override
    public StatefulRedisConnection<String, String> connect() {
        requireStore();
        AtomicBoolean open = new AtomicBoolean(true); // this connection only: a process may connect anew
        RedisAsyncCommands<String, String> commands = proxy(
                RedisAsyncCommands.class,
                Map.of(
                        "eval",
                                args -> {
                                    String text = String.valueOf(args[0]);
                                    String digest = sha1(text);
                                    return send(digest, text, (String[]) args[2], (String[]) args[3]);
                                },
                        "evalsha",
                                args -> send(String.valueOf(args[0]), null, (String[]) args[2], (String[]) args[3])));
        return proxy(
                StatefulRedisConnection.class,
                Map.of(
                        "async", args -> commands,
                        "isOpen", args -> open.get() && !isAway(),
                        "closeAsync", args -> closed(() -> open.set(false))));
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        requireStore();
        List<RedisPubSubListener<String, String>> listeners = new ArrayList<>();
        hearing.add(listeners);
        RedisPubSubAsyncCommands<String, String> commands =
                proxy(RedisPubSubAsyncCommands.class, Map.of("subscribe", args -> new SimulatedAnswer<Void>()));
        return proxy(
                StatefulRedisPubSubConnection.class,
                Map.of(
                        "async", args -> commands,
                        "addListener",
                                args -> {
                                    @SuppressWarnings("unchecked")
                                    RedisPubSubListener<String, String> listener =
                                            (RedisPubSubListener<String, String>) args[0];
                                    listeners.add(listener);
                                    return true;
                                },
                        "closeAsync", args -> closed(() -> hearing.removeIf(each -> each == listeners))));
    }

    private void requireStore() {
        if (isAway()) {
            throw new RedisConnectionException("the simulated store is away");
        }
    }

    private static CompletableFuture<Void> closed(Runnable close) {
        close.run();
        return CompletableFuture.completedFuture(null);
    }

    /** Delivers a published message, except to the process that published it, which would ignore it. */
    void observe(String channel, String text) {
        if (!isAway() && !text.contains("\n" + name + "\n")) {
            List<RedisPubSubListener<String, String>> all =
                    hearing.stream().flatMap(List::stream).toList();
            all.forEach(listener -> listener.message(channel, text));
        }
    }

    private SimulatedAnswer<List<Object>> send(String digest, @Nullable String text, String[] keys, String[] args) {
        SimulatedAnswer<List<Object>> answer = new SimulatedAnswer<>();
        underway++;
        store.time().schedule(TIMEOUT_NANOS, () -> answer(answer, null, new TimeoutException("simulated")));
        String[] named = named(args);
        store.afterOneWay(() -> {
            if (isAway()) {
                return;
            }
            if (text != null) {
                store.learn(digest, text);
            }
            boolean isKnown = store.knows(digest);
            List<Object> value = isKnown ? store.run(digest, keys, named) : List.of();
            RuntimeException failure = isKnown ? null : new RedisNoScriptException("NOSCRIPT");
            if (!isLost.test(args) && !store.isLost()) {
                Runnable arrives = () -> answer(answer, value, failure);
                if (slowAnswers-- > 0) {
                    store.time().schedule(slowBy.toNanos(), () -> store.afterOneWay(arrives));
                } else {
                    store.afterOneWay(arrives);
                }
            }
        });
        return answer;
    }

    private void answer(
            SimulatedAnswer<List<Object>> answer, @Nullable List<Object> value, @Nullable Exception failure) {
        if (answer.isDone()) {
            return;
        }
        underway--;
        if (failure == null && value != null) {
            answer.complete(value);
        } else if (failure != null) {
            answer.completeExceptionally(failure);
        }
    }

    /**
     * A process calls itself by a random name, and the names decide about the order in which processes come back. So
     * that a run can be repeated, each has a number instead.
     */
    private String[] named(String[] args) {
        if (realName == null) {
            realName = args[0];
        }
        String[] copy = args.clone();
        if (copy[0].equals(realName)) {
            copy[0] = name;
        }
        return copy;
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }

    private interface Reaction {
        Object to(Object[] args);
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<?> type, Map<String, Reaction> reactions) {
        return (T) Proxy.newProxyInstance(
                SimulatedRedisClient.class.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                    Reaction reaction = reactions.get(method.getName());
                    return reaction == null
                            ? other(self, method, args)
                            : reaction.to(args == null ? new Object[0] : args);
                });
    }

    private static Object other(Object self, Method method, Object @Nullable [] args) {
        return switch (method.getName()) {
            case "hashCode" -> System.identityHashCode(self);
            case "equals" -> args != null && self == args[0];
            case "toString" -> "simulated " + method.getDeclaringClass().getSimpleName();
            default -> throw new UnsupportedOperationException("the simulated store has no " + method);
        };
    }
}
