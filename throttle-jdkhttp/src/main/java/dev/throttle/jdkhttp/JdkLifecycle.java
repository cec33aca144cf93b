package dev.throttle.jdkhttp;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.http.HttpClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The methods that end a client, which {@link HttpClient} has since Java 21. Before, there are none: a client ends when
 * it is no longer reachable, and the methods here do nothing.
 */
final class JdkLifecycle {

    private static final @Nullable MethodHandle SHUTDOWN = find("shutdown", void.class);
    private static final @Nullable MethodHandle SHUTDOWN_NOW = find("shutdownNow", void.class);
    private static final @Nullable MethodHandle AWAIT = find("awaitTermination", boolean.class, Duration.class);
    private static final @Nullable MethodHandle IS_TERMINATED = find("isTerminated", boolean.class);

    private JdkLifecycle() {}

    private static @Nullable MethodHandle find(String name, Class<?> result, Class<?>... parameters) {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(HttpClient.class, name, MethodType.methodType(result, parameters));
        } catch (NoSuchMethodException e) {
            return null;
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static void shutdown(HttpClient client) {
        run(SHUTDOWN, client);
    }

    static void shutdownNow(HttpClient client) {
        run(SHUTDOWN_NOW, client);
    }

    private static void run(@Nullable MethodHandle method, HttpClient client) {
        if (method == null) {
            return;
        }
        try {
            method.invokeExact(client);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static boolean isTerminated(HttpClient client) {
        if (IS_TERMINATED == null) {
            return true;
        }
        try {
            return (boolean) IS_TERMINATED.invokeExact(client);
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    static boolean awaitTermination(HttpClient client, Duration duration) throws InterruptedException {
        if (AWAIT == null) {
            return true;
        }
        try {
            return (boolean) AWAIT.invokeExact(client, duration);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable t) {
            throw unchecked(t);
        }
    }

    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException runtime ? runtime : new IllegalStateException(failure);
    }
}
