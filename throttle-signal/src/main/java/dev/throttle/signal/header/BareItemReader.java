package dev.throttle.signal.header;

import java.util.Base64;

/**
 * Reads single values of RFC 9651: {@link Long}, {@link Double}, {@link String} for strings and tokens, {@link Boolean}
 * and {@link Bytes}. Dates and display strings, which no header about limits has, count as mistakes.
 */
class BareItemReader {

    private static final int INTEGER_DIGITS = 15;
    private static final int DECIMAL_DIGITS = 12;
    private static final int FRACTION_DIGITS = 3;
    private static final String TOKEN_SYMBOLS = "!#$%&'*+-.^_`|~:/";

    final String text;
    int at;

    BareItemReader(String text) {
        this.text = text;
    }

    final Object readBareItem() throws Malformed {
        char c = peek();
        if (c == '-' || Text.isDigit(c)) {
            return readNumber();
        }
        if (c == '*' || Text.isLetter(c)) {
            return readToken();
        }
        return switch (c) {
            case '"' -> readString();
            case ':' -> readBytes();
            case '?' -> readBoolean();
            default -> throw new Malformed();
        };
    }

    private Object readNumber() throws Malformed {
        boolean negative = skip('-');
        int from = at;
        skipDigits();
        int digits = at - from;
        if (digits == 0 || digits > INTEGER_DIGITS) {
            throw new Malformed();
        }
        if (peek() != '.') {
            long number = Long.parseLong(text, from, at, 10);
            return negative ? -number : number;
        }
        at++;
        int point = at;
        skipDigits();
        int fraction = at - point;
        if (digits > DECIMAL_DIGITS || fraction == 0 || fraction > FRACTION_DIGITS) {
            throw new Malformed();
        }
        double number = Double.parseDouble(text.substring(from, at));
        return negative ? 0 - number : number; // and no negative zero
    }

    private String readToken() {
        int from = at;
        while (Text.isLetter(peek()) || Text.isDigit(peek()) || isOneOf(TOKEN_SYMBOLS)) {
            at++;
        }
        return text.substring(from, at);
    }

    private String readString() throws Malformed {
        expect('"');
        int from = at;
        boolean escaped = false;
        while (true) {
            char c = next();
            if (c == '"') {
                String string = text.substring(from, at - 1);
                return escaped ? unescaped(string) : string;
            }
            if (c == '\\') {
                escaped = true;
                c = next();
                if (c != '"' && c != '\\') {
                    throw new Malformed();
                }
            }
        }
    }

    private static String unescaped(String string) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < string.length(); i++) {
            i += string.charAt(i) == '\\' ? 1 : 0;
            plain.append(string.charAt(i));
        }
        return plain.toString();
    }

    private Bytes readBytes() throws Malformed {
        expect(':');
        int end = text.indexOf(':', at);
        if (end < 0) {
            throw new Malformed();
        }
        String base64 = text.substring(at, end);
        at = end + 1;
        try {
            return new Bytes(
                    Base64.getEncoder().encodeToString(Base64.getDecoder().decode(base64)));
        } catch (IllegalArgumentException e) {
            throw new Malformed();
        }
    }

    private Boolean readBoolean() throws Malformed {
        expect('?');
        if (skip('1')) {
            return true;
        }
        expect('0');
        return false;
    }

    final char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    /** Moves over a character of a quoted string; it may be any printable one. */
    private char next() throws Malformed {
        char c = peek();
        if (c < ' ' || c > '~') {
            throw new Malformed();
        }
        at++;
        return c;
    }

    final boolean skip(char c) {
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    final void expect(char c) throws Malformed {
        if (!skip(c)) {
            throw new Malformed();
        }
    }

    final void skipSpaces() {
        while (peek() == ' ') {
            at++;
        }
    }

    private void skipDigits() {
        while (Text.isDigit(peek())) {
            at++;
        }
    }

    final boolean isOneOf(String symbols) {
        return at < text.length() && symbols.indexOf(text.charAt(at)) >= 0;
    }

    /** Ends the reading of a field that is not well-formed. Costs little, as it has no stack trace. */
    static final class Malformed extends Exception {

        private static final long serialVersionUID = 1;

        Malformed() {
            super("malformed", null, false, false);
        }
    }

    /** Bytes, as base 64. */
    record Bytes(String base64) {}
}
