package dev.throttle.jdkhttp;

import dev.throttle.ThrottleRegistry;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.http.HttpClient;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind a builder of throttling clients. Its methods are those of the builder of the JDK that runs, of
 * which a class compiled for an older one would leave some to defaults that throw.
 */
final class ClientBuilderHandler implements InvocationHandler {

    private final HttpClient.Builder jdk;
    private final Consumer<? super ThrottlingHttpClientBuilder> settings;
    private final Supplier<ThrottleRegistry> shared;

    private ClientBuilderHandler(
            HttpClient.Builder jdk,
            Consumer<? super ThrottlingHttpClientBuilder> settings,
            Supplier<ThrottleRegistry> shared) {
        this.jdk = jdk;
        this.settings = settings;
        this.shared = shared;
    }

    static HttpClient.Builder around(HttpClient.Builder jdk, Consumer<? super ThrottlingHttpClientBuilder> settings) {
        ThrottleRegistry shared = ThrottleRegistry.create();
        return proxy(new ClientBuilderHandler(jdk, settings, () -> shared));
    }

    private static HttpClient.Builder proxy(ClientBuilderHandler handler) {
        return (HttpClient.Builder) Proxy.newProxyInstance(
                HttpClient.Builder.class.getClassLoader(), new Class<?>[] {HttpClient.Builder.class}, handler);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return asObject(proxy, method, arguments);
        }
        Object result;
        try {
            result = method.invoke(jdk, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (result == jdk) {
            return proxy;
        }
        if (result instanceof HttpClient.Builder other) { // of those that are not changed, but copied
            return proxy(new ClientBuilderHandler(other, settings, shared));
        }
        return result instanceof HttpClient built ? throttling(built) : result;
    }

    private HttpClient throttling(HttpClient built) {
        ThrottlingHttpClientBuilder builder =
                ThrottlingHttpClient.newBuilder(built).byDefault(shared);
        settings.accept(builder);
        return builder.build();
    }

    private Object asObject(Object proxy, Method method, @Nullable Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "ThrottlingHttpClient.Builder[" + jdk + "]";
        };
    }
}
