package dev.throttle.signal.usage;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects out of a piece of JSON, or of a stream of JSON, that may begin and end in the middle of anything.
 * Inside of a string every quotation mark has a backslash before it, so that a key between bare marks is a key.
 */
final class JsonMembers {

    private static final int MOST_TRIES = 8;
    private static final int MOST_MEMBERS = 64;
    private static final int DEEPEST = 16;

    private final String text;
    private int at;

    private JsonMembers(String text, int at) {
        this.text = text;
        this.at = at;
    }

    /**
     * An object found in a text.
     *
     * @param at where its key stands
     * @param members the members that are no objects and no arrays: numbers and literals as they stand, strings without
     *     their quotation marks
     */
    record Found(int at, Map<String, String> members) {

        /** {@return the member as an amount; {@link Amounts#UNKNOWN} if it is none} */
        long amount(String key) {
            return Amounts.of(members.get(key));
        }
    }

    /** {@return the last whole object with a key; null if there is none} */
    static @Nullable Found last(String text, String key) {
        String quoted = '"' + key + '"';
        int at = text.lastIndexOf(quoted);
        for (int tries = 0; at >= 0 && tries < MOST_TRIES; tries++) {
            Found found = at(text, at, quoted.length());
            if (found != null) {
                return found;
            }
            at = text.lastIndexOf(quoted, at - 1);
        }
        return null;
    }

    /** {@return the first whole object with a key; null if there is none} */
    static @Nullable Found first(String text, String key) {
        String quoted = '"' + key + '"';
        int at = text.indexOf(quoted);
        for (int tries = 0; at >= 0 && tries < MOST_TRIES; tries++) {
            Found found = at(text, at, quoted.length());
            if (found != null) {
                return found;
            }
            at = text.indexOf(quoted, at + 1);
        }
        return null;
    }

    private static @Nullable Found at(String text, int at, int keyLength) {
        int open = value(text, at + keyLength);
        if (open < 0 || text.charAt(open) != '{') {
            return null;
        }
        Map<String, String> members = new JsonMembers(text, open).readObject();
        return members == null ? null : new Found(at, members);
    }

    /** {@return whether some member with a key is an array} */
    static boolean hasArray(String text, String key) {
        String quoted = '"' + key + '"';
        for (int at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
            int open = value(text, at + quoted.length());
            if (open >= 0 && text.charAt(open) == '[') {
                return true;
            }
        }
        return false;
    }

    /** {@return whether some member with a key is one of these strings} */
    static boolean hasString(String text, String key, Set<String> values) {
        String quoted = '"' + key + '"';
        for (int at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
            int open = value(text, at + quoted.length());
            int end = open < 0 || text.charAt(open) != '"' ? -1 : text.indexOf('"', open + 1);
            if (end >= 0 && values.contains(text.substring(open + 1, end))) {
                return true;
            }
        }
        return false;
    }

    /** {@return where the value begins whose key ends here; -1 if there is none} */
    private static int value(String text, int endOfKey) {
        int colon = skipSpaces(text, endOfKey);
        if (colon == text.length() || text.charAt(colon) != ':') {
            return -1;
        }
        int value = skipSpaces(text, colon + 1);
        return value == text.length() ? -1 : value;
    }

    private static int skipSpaces(String text, int from) {
        int i = from;
        while (i < text.length() && " \t\r\n".indexOf(text.charAt(i)) >= 0) {
            i++;
        }
        return i;
    }

    /** {@return the members; null if the object is cut off, or is none} */
    private @Nullable Map<String, String> readObject() {
        Map<String, String> members = new HashMap<>();
        at++;
        char next = skip();
        while (next != '}') {
            String key = next == '"' ? string() : null;
            if (key == null || skip() != ':' || members.size() == MOST_MEMBERS) {
                return null;
            }
            at++;
            char first = skip();
            boolean isNested = first == '{' || first == '[';
            String value = first == '"' ? string() : isNested ? null : literal();
            if (isNested ? !skipNested() : value == null) {
                return null;
            }
            if (value != null) {
                members.put(key, value);
            }
            boolean hasMore = skip() == ',';
            at += hasMore ? 1 : 0;
            next = skip();
            if (hasMore == (next == '}')) {
                return null;
            }
        }
        return members;
    }

    /** {@return the next character that is no space; 0 at the end} */
    private char skip() {
        at = skipSpaces(text, at);
        return at == text.length() ? 0 : text.charAt(at);
    }

    private @Nullable String string() {
        int from = at + 1;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                at = i + 1;
                return text.substring(from, i);
            }
        }
        return null;
    }

    /** {@return a number, or one of the three literals; null if it is cut off, as what stands last always may be} */
    private @Nullable String literal() {
        int from = at;
        while (at < text.length() && ",}] \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return at == from || at == text.length() ? null : text.substring(from, at);
    }

    private boolean skipNested() {
        int depth = 0;
        do {
            char c = skip();
            if (c == '"') {
                if (string() == null) {
                    return false;
                }
                continue;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            at++;
            if (c == 0 || depth > DEEPEST) {
                return false;
            }
        } while (depth > 0);
        return true;
    }
}
