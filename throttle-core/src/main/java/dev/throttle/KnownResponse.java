package dev.throttle;

import dev.throttle.signal.Classifier;
import dev.throttle.signal.HintReader;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.ResponseHead;
import dev.throttle.signal.Signal;
import dev.throttle.time.TimeSource;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status and headers of an object that has public methods for both, under the names that clients give them. So a
 * library is known without being needed. What a class has is looked up once.
 */
final class KnownResponse {

    private static final List<String> STATUS =
            List.of("statusCode", "code", "status", "getStatusCode", "getRawStatusCode");
    private static final List<String> HEADERS =
            List.of("headers", "responseHeaders", "getResponseHeaders", "getHeaders");
    /** Methods of headers that show them as a map from names to values. */
    private static final List<String> MAP = List.of("map", "toMultimap", "asMultiValueMap");

    private static final int FIRST_ERROR = 400;
    private static final int LAST_ERROR = 599;

    private static final ClassValue<Methods> METHODS = new ClassValue<>() {
        @Override
        protected Methods computeValue(Class<?> type) {
            return new Methods(type);
        }
    };

    private KnownResponse() {}

    /** {@return what such an object says, as the standard reader and classifier see it; null if it is none} */
    static @Nullable Signal signalOf(@Nullable Object response) {
        ResponseHead head = headOf(response);
        return head == null ? null : read(head);
    }

    /** {@return what a response says, as the standard reader and classifier see it} */
    static Signal read(ResponseHead head) {
        RateHints hints = HintReader.standard().read(head, TimeSource.system().currentTimeMillis());
        return Signal.of(Classifier.standard().classify(head, hints), hints);
    }

    /**
     * {@return status and headers; null if the object does not have both} Of an exception the status is enough, where
     * it is an error: AWS's SDK shows no more.
     */
    static @Nullable ResponseHead headOf(@Nullable Object response) {
        if (response == null) {
            return null;
        }
        try {
            Methods methods = METHODS.get(response.getClass());
            Integer status = methods.status == null ? null : statusOf(methods.status.invoke(response));
            if (status == null) {
                return null;
            }
            if (methods.headers != null) {
                return new Head(status, methods.headers.invoke(response));
            }
            // Retrofit's exception has the response and not its headers.
            Object inner = methods.response == null ? null : methods.response.invoke(response);
            ResponseHead head = inner == null || inner == response ? null : headOf(inner);
            return head == null && response instanceof Throwable && status >= FIRST_ERROR && status <= LAST_ERROR
                    ? new Head(status, null)
                    : head;
        } catch (Throwable e) {
            return null; // an object of another kind, whose methods happen to have these names
        }
    }

    private static @Nullable Integer statusOf(@Nullable Object status) throws Throwable {
        if (status instanceof Integer number) {
            return number >= 100 && number <= 999 ? number : null;
        }
        MethodHandle value = status == null ? null : METHODS.get(status.getClass()).value;
        return value == null ? null : statusOf(value.invoke(status));
    }

    private record Head(int status, @Nullable Object all) implements ResponseHead {

        @Override
        public void forEachHeader(HeaderVisitor visitor) {
            try {
                if (all != null) {
                    visit(all, visitor);
                }
            } catch (Throwable e) {
                return; // headers of another kind; the status is known nevertheless
            }
        }

        private static void visit(Object headers, HeaderVisitor visitor) throws Throwable {
            if (headers instanceof Map<?, ?> map) {
                map.forEach((name, values) -> visit(name, values, visitor));
                return;
            }
            Methods methods = METHODS.get(headers.getClass());
            if (methods.map != null && methods.map.invoke(headers) instanceof Map<?, ?> map) {
                map.forEach((name, values) -> visit(name, values, visitor));
            } else if (methods.names != null
                    && methods.values != null
                    && methods.names.invoke(headers) instanceof Collection<?> names) {
                for (Object name : names) {
                    visit(name, methods.values.invoke(headers, name), visitor);
                }
            }
        }

        private static void visit(@Nullable Object name, @Nullable Object values, HeaderVisitor visitor) {
            if (name instanceof String && values instanceof Collection<?> several) {
                several.forEach(value -> visit(name, value, visitor));
            } else if (name instanceof String text && values != null) {
                visitor.visit(text, values.toString());
            }
        }
    }

    /** What of interest a class has. */
    private static final class Methods {

        final @Nullable MethodHandle status;
        final @Nullable MethodHandle headers;
        final @Nullable MethodHandle response;
        final @Nullable MethodHandle value;
        final @Nullable MethodHandle map;
        final @Nullable MethodHandle names;
        final @Nullable MethodHandle values;

        Methods(Class<?> type) {
            status = find(type, STATUS);
            headers = find(type, HEADERS);
            response = find(type, List.of("response"));
            value = find(type, List.of("value"));
            map = find(type, MAP);
            names = find(type, List.of("names"));
            values = find(type, List.of("values"), String.class);
        }

        private static @Nullable MethodHandle find(Class<?> type, List<String> names, Class<?>... parameters) {
            for (String name : names) {
                Deque<Class<?>> types = new ArrayDeque<>(List.of(type));
                for (Class<?> declaring = types.poll(); declaring != null; declaring = types.poll()) {
                    MethodHandle found = find(declaring, name, parameters);
                    if (found != null) {
                        return found;
                    }
                    types.addAll(List.of(declaring.getInterfaces()));
                    if (declaring.getSuperclass() != null) {
                        types.add(declaring.getSuperclass());
                    }
                }
            }
            return null;
        }

        /** A class may be hidden whose interface is not: that is where the method is to be called. */
        private static @Nullable MethodHandle find(Class<?> declaring, String name, Class<?>... parameters) {
            try {
                Method method = declaring.getDeclaredMethod(name, parameters);
                return MethodHandles.publicLookup().unreflect(method);
            } catch (ReflectiveOperationException | SecurityException | LinkageError e) {
                return null;
            }
        }
    }
}
