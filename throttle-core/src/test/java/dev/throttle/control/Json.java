package dev.throttle.control;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reads the JSON of the vectors: maps, lists, strings, doubles, booleans, null. */
public final class Json {

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    public static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Json.class.getResourceAsStream("/vectors/" + name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<Map<String, Object>> vectors(String name) {
        return maps(new Json(resource(name)).value());
    }

    @SuppressWarnings("unchecked")
    public static List<Map<String, Object>> maps(Object value) {
        return (List<Map<String, Object>>) value;
    }

    private Object value() {
        char c = next();
        if (c == '{') {
            Map<String, Object> map = new LinkedHashMap<>();
            for (c = next(); c != '}'; c = next()) {
                at -= c == ',' ? 0 : 1;
                String key = (String) value();
                expect(':');
                map.put(key, value());
            }
            return map;
        } else if (c == '[') {
            List<Object> list = new ArrayList<>();
            for (c = next(); c != ']'; c = next()) {
                at -= c == ',' ? 0 : 1;
                list.add(value());
            }
            return list;
        } else if (c == '"') {
            int begin = at;
            at = text.indexOf('"', at) + 1;
            return text.substring(begin, at - 1);
        }
        int begin = at - 1;
        while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(begin, at);
        return switch (word) {
            case "null" -> null;
            case "true", "false" -> Boolean.valueOf(word);
            default -> Double.valueOf(word);
        };
    }

    private void expect(char expected) {
        if (next() != expected) {
            throw new IllegalStateException("no " + expected + " at " + at);
        }
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at++);
    }
}
