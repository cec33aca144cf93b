package dev.throttle.lab.torture;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import okhttp3.Call;
import okhttp3.ConnectionPool;

/**
 * Which calls hold the connections of a pool, for one who looks for the reason. OkHttp does not tell, so this looks at
 * its fields; where they have other names, it says so.
 */
final class HeldConnections {

    private final ConnectionPool pool;

    HeldConnections(ConnectionPool pool) {
        this.pool = pool;
    }

    /** {@return each call with what OkHttp knows of it} */
    List<String> calls() {
        List<String> told = new ArrayList<>();
        try {
            for (Object connection : (Collection<?>) field(field(pool, "delegate"), "connections")) {
                for (Object reference : List.copyOf((Collection<?>) field(connection, "calls"))) {
                    told.add(told(((Reference<?>) reference).get(), connection));
                }
            }
        } catch (ReflectiveOperationException | RuntimeException e) {
            told.add("which calls hold them cannot be seen: " + e);
        }
        return told;
    }

    private static String told(Object call, Object connection) throws ReflectiveOperationException {
        if (call == null) {
            return "a call that nobody knows any more, on " + connection;
        }
        StringBuilder told = new StringBuilder(((Call) call).request().url().toString());
        for (String name : List.of(
                "canceled", "requestBodyOpen", "responseBodyOpen", "expectMoreExchanges", "timeoutEarlyExit")) {
            told.append(", ").append(name).append(' ').append(field(call, name));
        }
        Object exchange = field(call, "exchange");
        told.append(", exchange ").append(exchange).append(", interceptorScopedExchange ");
        told.append(field(call, "interceptorScopedExchange"));
        told.append(", connection is the call's ").append(field(call, "connection") == connection);
        if (exchange != null) {
            Object codec = field(exchange, "codec");
            told.append(", codec ").append(codec.getClass().getSimpleName());
            Object stream = field(codec, "stream");
            if (stream != null) {
                told.append(", stream ").append(field(stream, "id")).append(" error ").append(field(stream, "errorCode"));
            }
        }
        return told + ", on " + connection;
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
