package dev.throttle.signal.body;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The scalars of a JSON text, each with the path of names that leads to it. The text may be cut off or broken: then
 * what stands before that place counts. Arrays add nothing to a path, so that {@code {"errors":[{"type":"x"}]}} has
 * {@code x} at {@code errors.type}.
 */
final class Json {

    private static final int DEEPEST = 32;
    private static final int MOST_SCALARS = 512;
    private static final String SPACES = " \t\r\n";
    private static final int HEX_DIGITS = 4;
    private static final int HEX = 16;

    private final String text;
    private final List<Scalar> scalars = new ArrayList<>();
    private int at;

    /**
     * A string, a number or a literal.
     *
     * @param path the names that lead to it, with dots between them
     * @param name the last of them; empty if there is none
     * @param value the string without its escapes; anything else as it stands
     */
    record Scalar(String path, String name, String value, boolean isString) {}

    private Json(String text) {
        this.text = text;
    }

    static Json read(String text) {
        Json json = new Json(text);
        json.readValue("", "", 0);
        return json;
    }

    /** {@return whether some string of this name, wherever it stands, meets a condition} */
    boolean any(String name, Predicate<String> condition) {
        for (Scalar scalar : scalars) {
            if (scalar.isString && scalar.name.equals(name) && condition.test(scalar.value)) {
                return true;
            }
        }
        return false;
    }

    /** {@return the first string of this name, wherever it stands; null if there is none} */
    @Nullable String first(String name) {
        for (Scalar scalar : scalars) {
            if (scalar.isString && scalar.name.equals(name)) {
                return scalar.value;
            }
        }
        return null;
    }

    /** {@return the first scalar at a path; empty if there is none} */
    String at(String path) {
        for (Scalar scalar : scalars) {
            if (scalar.path.equals(path)) {
                return scalar.value;
            }
        }
        return "";
    }

    /** {@return all scalars at a path, in their order} */
    List<String> allAt(String path) {
        return scalars.stream()
                .filter(scalar -> scalar.path.equals(path))
                .map(Scalar::value)
                .toList();
    }

    /** {@return the scalars that are members of the object at a path} */
    List<Scalar> membersOf(String path) {
        return scalars.stream()
                .filter(scalar -> scalar.path.equals(path + "." + scalar.name))
                .toList();
    }

    // Each of these returns whether the text is whole up to where it stands then.

    private boolean readValue(String path, String name, int depth) {
        char first = skipSpaces();
        if (first == '{' || first == '[') {
            at++;
            return depth < DEEPEST && (first == '{' ? readObject(path, depth) : readArray(path, name, depth));
        }
        int from = at;
        String value = first == '"' ? readString() : readLiteral();
        boolean isWhole = value != null && scalars.size() < MOST_SCALARS;
        if (value != null && isWhole) {
            scalars.add(new Scalar(path, name, value, text.charAt(from) == '"'));
        }
        return isWhole;
    }

    private boolean readObject(String path, int depth) {
        if (skipTo('}')) {
            return true;
        }
        do {
            String name = skipSpaces() == '"' ? readString() : null;
            if (name == null
                    || !skipTo(':')
                    || !readValue(path.isEmpty() ? name : path + "." + name, name, depth + 1)) {
                return false;
            }
        } while (skipTo(','));
        return skipTo('}');
    }

    private boolean readArray(String path, String name, int depth) {
        if (skipTo(']')) {
            return true;
        }
        do {
            if (!readValue(path, name, depth + 1)) {
                return false;
            }
        } while (skipTo(','));
        return skipTo(']');
    }

    /** {@return the next character that is no space; 0 at the end} */
    private char skipSpaces() {
        while (at < text.length() && SPACES.indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    /** Steps over a character if it is the next one. {@return whether it was} */
    private boolean skipTo(char expected) {
        boolean isNext = skipSpaces() == expected;
        at += isNext ? 1 : 0;
        return isNext;
    }

    /** {@return a number or one of the three literals; null if there is none, or if it may be cut off} */
    private @Nullable String readLiteral() {
        int from = at;
        while (at < text.length() && isOfLiteral(text.charAt(at))) {
            at++;
        }
        return at == from || (at == text.length() && from > 0) ? null : text.substring(from, at);
    }

    private static boolean isOfLiteral(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' || c == 'E';
    }

    /** {@return a string without its escapes; null if it is cut off or broken} */
    private @Nullable String readString() {
        StringBuilder value = new StringBuilder();
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                at = i + 1;
                return value.toString();
            }
            if (c == '\\') {
                i++;
                int unescaped = i < text.length() ? unescape(i) : -1;
                if (unescaped < 0) {
                    return null;
                }
                i += text.charAt(i) == 'u' ? HEX_DIGITS : 0;
                c = (char) unescaped;
            }
            value.append(c);
        }
        return null;
    }

    /** {@return the character that an escape stands for, which begins here behind its backslash; -1 if it is none} */
    private int unescape(int from) {
        return switch (text.charAt(from)) {
            case '"', '\\', '/' -> text.charAt(from);
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unescapeHex(from + 1);
            default -> -1;
        };
    }

    private int unescapeHex(int from) {
        int value = 0;
        for (int i = from; i < from + HEX_DIGITS; i++) {
            int digit = i < text.length() ? Character.digit(text.charAt(i), HEX) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * HEX + digit;
        }
        return value;
    }
}
