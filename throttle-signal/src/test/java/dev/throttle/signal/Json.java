package dev.throttle.signal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the JSON of test data: maps, lists, strings, longs, booleans and null. */
final class Json {

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> objects(String resource) {
        try (InputStream in = Json.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException(resource);
            }
            return (List<Map<String, Object>>)
                    new Json(new String(in.readAllBytes(), StandardCharsets.UTF_8)).requiredValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Object requiredValue() {
        Object value = value();
        if (value == null) {
            throw new IllegalStateException("null at " + at);
        }
        return value;
    }

    private @Nullable Object value() {
        char c = skipSpaces();
        return switch (c) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 'n' -> word("null", null);
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            default -> number();
        };
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        if (!text.startsWith(word, at)) {
            throw new IllegalStateException("at " + at);
        }
        at += word.length();
        return value;
    }

    private Long number() {
        int from = at;
        while (at < text.length() && "-0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return Long.valueOf(text.substring(from, at));
    }

    private Map<String, @Nullable Object> object() {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        at++;
        while (skipSpaces() != '}') {
            String key = string();
            skipSpaces();
            at++;
            object.put(key, value());
            if (skipSpaces() == ',') {
                at++;
            }
        }
        at++;
        return object;
    }

    private List<@Nullable Object> array() {
        List<@Nullable Object> array = new ArrayList<>();
        at++;
        while (skipSpaces() != ']') {
            array.add(value());
            if (skipSpaces() == ',') {
                at++;
            }
        }
        at++;
        return array;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        at++;
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c == '\\') {
                c = text.charAt(at++);
                switch (c) {
                    case 'u' -> {
                        c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                        at += 4;
                    }
                    case 't' -> c = '\t';
                    case 'n' -> c = '\n';
                    case 'r' -> c = '\r';
                    default -> {}
                }
            }
            string.append(c);
        }
        at++;
        return string.toString();
    }

    private char skipSpaces() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }
}
