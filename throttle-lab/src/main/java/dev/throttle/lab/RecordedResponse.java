package dev.throttle.lab;

import dev.throttle.signal.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A response as a line of JSON tells it. */
record RecordedResponse(int status, String host, List<Map.Entry<String, String>> lines) implements ResponseHead {

    private static final int LOWEST = 100;
    private static final int HIGHEST = 999;

    /**
     * Reads the members {@code status}, {@code headers} and {@code host}, which may be missing; {@code headers} is an
     * object of names and values, or of lists of values, or an array of pairs.
     *
     * @throws IllegalArgumentException if they are not understood
     */
    static RecordedResponse of(Map<String, Object> object) {
        if (!(object.get("status") instanceof Integer status) || status < LOWEST || status > HIGHEST) {
            throw new IllegalArgumentException("status is " + object.get("status") + ": it takes a number such as 429");
        }
        Object host = object.get("host");
        if (host != null && !(host instanceof String)) {
            throw new IllegalArgumentException("host is " + host + ": it takes a name such as api.example.com");
        }
        return new RecordedResponse(status, host == null ? "" : host.toString(), headers(object.get("headers")));
    }

    private static List<Map.Entry<String, String>> headers(@Nullable Object value) {
        List<Map.Entry<String, String>> lines = new ArrayList<>();
        if (value instanceof Map<?, ?> map) {
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                addAll(String.valueOf(entry.getKey()), entry.getValue(), lines);
            }
        } else if (value instanceof List<?> list) {
            for (Object pair : list) {
                if (!(pair instanceof List<?> both) || both.size() != 2 || !(both.get(0) instanceof String name)) {
                    throw new IllegalArgumentException("headers has " + pair + ": it takes pairs of name and value");
                }
                addAll(name, both.get(1), lines);
            }
        } else if (value != null) {
            throw new IllegalArgumentException("headers is " + value + ": it takes an object or an array of pairs");
        }
        return lines;
    }

    private static void addAll(String name, @Nullable Object value, List<Map.Entry<String, String>> lines) {
        if (value instanceof List<?> values) {
            for (Object each : values) {
                lines.add(Map.entry(name, text(name, each)));
            }
        } else {
            lines.add(Map.entry(name, text(name, value)));
        }
    }

    private static String text(String name, @Nullable Object value) {
        if (value instanceof String || value instanceof Number) {
            return value.toString();
        }
        throw new IllegalArgumentException("header " + name + " is " + value + ": it takes a text");
    }

    @Override
    public void forEachHeader(HeaderVisitor visitor) {
        for (Map.Entry<String, String> line : lines) {
            visitor.visit(line.getKey(), line.getValue());
        }
    }
}
