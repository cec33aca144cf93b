package dev.throttle.signal.header;

import org.jspecify.annotations.Nullable;

/** Characters as HTTP sees them: ASCII, and nothing that depends on a locale. */
public final class Text {

    /** Longer values are not read. */
    static final int LONGEST_VALUE = 1024;

    /** Lists with more members are not read. */
    static final int MOST_MEMBERS = 16;

    private static final int LAST_ASCII = 0x7e;
    private static final int CASE = 0x20;

    private Text() {}

    /** {@return the value without the spaces and tabs around it; null if it is empty, too long or not printable} */
    static @Nullable String clean(String value) {
        int end = value.length();
        if (end > LONGEST_VALUE) {
            return null;
        }
        int start = 0;
        while (start < end && isBlank(value.charAt(start))) {
            start++;
        }
        while (end > start && isBlank(value.charAt(end - 1))) {
            end--;
        }
        return start == end ? null : value.substring(start, end);
    }

    /** {@return the lines of one header, which mean the same as one line with commas between them} */
    static String joined(@Nullable String lines, String line) {
        return lines == null ? line : lines + ", " + line;
    }

    /** {@return whether there is nothing but printable ASCII, spaces and tabs} */
    static boolean isAscii(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if ((c < ' ' || c > LAST_ASCII) && c != '\t') {
                return false;
            }
        }
        return true;
    }

    static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static boolean isLetter(char c) {
        int lower = c | CASE;
        return lower >= 'a' && lower <= 'z';
    }

    static boolean isLower(char c) {
        return c >= 'a' && c <= 'z';
    }

    /** {@return whether a text has a lower-case word at a position, in any case} */
    static boolean hasAt(String text, int at, String word) {
        return text.regionMatches(true, at, word, 0, word.length());
    }

    /** {@return a name in lower case, the same object if it is} */
    public static String lower(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c >= 'A' && c <= 'Z') {
                return lowerFrom(name, i);
            }
        }
        return name;
    }

    private static String lowerFrom(String name, int from) {
        StringBuilder lower = new StringBuilder(name.length()).append(name, 0, from);
        for (int i = from; i < name.length(); i++) {
            char c = name.charAt(i);
            lower.append(c >= 'A' && c <= 'Z' ? (char) (c | CASE) : c);
        }
        return lower.toString();
    }
}
