package dev.throttle.signal.body;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds string members in the beginning of a JSON text, which is seldom complete. It does not understand the text: a
 * key counts wherever it stands.
 */
final class JsonStrings {

    private JsonStrings() {}

    /** {@return whether some string with a key meets a condition} */
    static boolean any(String text, String key, Predicate<String> condition) {
        String quoted = '"' + key + '"';
        for (int at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
            String value = value(text, at + quoted.length());
            if (value != null && condition.test(value)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the first string with a key; null if there is none} */
    static @Nullable String first(String text, String key) {
        String[] found = new String[1];
        any(text, key, value -> {
            found[0] = value;
            return true;
        });
        return found[0];
    }

    private static @Nullable String value(String text, int from) {
        int at = skipSpaces(text, from);
        if (at == text.length() || text.charAt(at) != ':') {
            return null;
        }
        at = skipSpaces(text, at + 1);
        if (at == text.length() || text.charAt(at) != '"') {
            return null;
        }
        int end = text.indexOf('"', at + 1);
        return end < 0 ? null : text.substring(at + 1, end);
    }

    private static int skipSpaces(String text, int from) {
        int at = from;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }
}
