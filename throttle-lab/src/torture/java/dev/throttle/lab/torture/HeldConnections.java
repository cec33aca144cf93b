package dev.throttle.lab.torture;

import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a pool that calls still hold. OkHttp tells only how many they are, so this looks at its fields.
 *
 * <p>One way to lose a connection is OkHttp's own. Of a call over HTTP/2 that is cancelled while it writes the head of
 * its request, OkHttp takes that for a failure to send, and looks whether there is an answer all the same. If one has
 * come, the call ends as cancelled, but the end of its request is never reported, and so it holds its
 * connection for ever. A bare client does the same: HeldConnectionsTest shows it.
 */
final class HeldConnections {

    private final ConnectionPool pool;

    HeldConnections(ConnectionPool pool) {
        this.pool = pool;
    }

    /** {@return how many there are that OkHttp has not lost by itself} */
    int count() {
        int busy = pool.connectionCount() - pool.idleConnectionCount();
        return busy == 0 ? 0 : busy - lost().size();
    }

    /** Closes those that OkHttp has lost by itself; {@return how many they were}. */
    int closeLost() {
        List<Object> lost = lost();
        try {
            for (Object connection : lost) {
                connection.getClass().getMethod("cancel").invoke(connection);
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("OkHttp has changed", e);
        }
        return lost.size();
    }

    private List<Object> lost() {
        List<Object> lost = new ArrayList<>();
        for (Object connection : connections()) {
            List<Held> calls = calls(connection);
            if (!calls.isEmpty() && calls.stream().allMatch(Held::isLostByOkHttp)) {
                lost.add(connection);
            }
        }
        return lost;
    }

    /** Tells of each call that holds one what OkHttp knows of it. */
    @Override
    public String toString() {
        StringBuilder told = new StringBuilder();
        for (Object connection : connections()) {
            calls(connection).forEach(call -> told.append("\n  ").append(call));
        }
        return told.toString();
    }

    private Collection<?> connections() {
        return List.copyOf((Collection<?>) known(field(known(field(pool, "delegate")), "connections")));
    }

    private static List<Held> calls(Object connection) {
        List<Held> calls = new ArrayList<>();
        synchronized (connection) { // which is how OkHttp guards them
            for (Object reference : (Collection<?>) known(field(connection, "calls"))) {
                Object call = ((Reference<?>) reference).get();
                if (call != null) {
                    calls.add(Held.of(call));
                }
            }
        }
        return calls;
    }

    /** What OkHttp knows of a call. */
    private record Held(
            String url,
            boolean isCanceled,
            boolean isRequestOpen,
            boolean isResponseOpen,
            boolean isMoreExpected,
            String error) {

        static Held of(Object call) {
            return new Held(
                    ((Call) call).request().url().toString(),
                    is(call, "canceled"),
                    is(call, "requestBodyOpen"),
                    is(call, "responseBodyOpen"),
                    is(call, "expectMoreExchanges"),
                    error(call));
        }

        /** The request was never ended, and all else was, for nothing but the cancellation. */
        boolean isLostByOkHttp() {
            return isCanceled && isRequestOpen && !isResponseOpen && !isMoreExpected && error.equals("CANCEL");
        }

        /** {@return why its stream over HTTP/2 was reset} */
        private static String error(Object call) {
            Object exchange = field(call, "exchange");
            Object codec = exchange == null ? null : field(exchange, "codec");
            if (codec == null || !codec.getClass().getSimpleName().equals("Http2ExchangeCodec")) {
                return "none";
            }
            Object stream = field(codec, "stream");
            return String.valueOf(stream == null ? null : field(stream, "errorCode"));
        }
    }

    private static boolean is(Object of, String name) {
        return (Boolean) known(field(of, name));
    }

    private static Object known(@Nullable Object value) {
        return java.util.Objects.requireNonNull(value);
    }

    private static @Nullable Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("OkHttp has changed", e);
        }
    }
}
