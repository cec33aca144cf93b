package dev.throttle.signal;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lists and dictionaries of RFC 9651, as strictly as it asks: one mistake anywhere and the whole field counts
 * as not sent. Linear in the length of the text; lists and dictionaries of more than {@value Text#MOST_MEMBERS} members
 * count as mistakes.
 *
 * <p>Values are {@link Long}, {@link Double}, {@link String}, {@link Boolean}, {@link Token}, {@link Bytes},
 * {@link Date}, {@link DisplayString} and {@link InnerList}.
 */
final class StructuredFields {

    private static final int INTEGER_DIGITS = 15;
    private static final int DECIMAL_DIGITS = 12;
    private static final int FRACTION_DIGITS = 3;
    private static final int HEX = 16;
    private static final String TOKEN_SYMBOLS = "!#$%&'*+-.^_`|~:/";
    private static final String KEY_SYMBOLS = "_-.*";

    private final String text;
    private int at;

    private StructuredFields(String text) {
        this.text = text;
    }

    /** {@return the members of a list; null if the text is none} */
    static @Nullable List<Item> list(String text) {
        return read(text, StructuredFields::readList);
    }

    /** {@return the members of a dictionary; null if the text is none} */
    static @Nullable Map<String, Item> dictionary(String text) {
        return read(text, StructuredFields::readDictionary);
    }

    private static <T> @Nullable T read(String text, Reader<T> reader) {
        StructuredFields fields = new StructuredFields(text);
        try {
            fields.skipSpaces();
            T value = reader.read(fields);
            fields.skipSpaces();
            return fields.at == text.length() ? value : null;
        } catch (Malformed e) {
            return null;
        }
    }

    private List<Item> readList() throws Malformed {
        List<Item> members = new ArrayList<>();
        while (at < text.length()) {
            if (members.size() == Text.MOST_MEMBERS) {
                throw Malformed.INSTANCE;
            }
            members.add(readMember());
            if (!readComma()) {
                break;
            }
        }
        return members;
    }

    private Map<String, Item> readDictionary() throws Malformed {
        Map<String, Item> members = new LinkedHashMap<>();
        int count = 0;
        while (at < text.length()) {
            if (count++ == Text.MOST_MEMBERS) {
                throw Malformed.INSTANCE;
            }
            String key = readKey();
            members.put(key, skip('=') ? readMember() : new Item(Boolean.TRUE, readParameters()));
            if (!readComma()) {
                break;
            }
        }
        return members;
    }

    /** Reads what stands between two members; {@return whether another one follows} */
    private boolean readComma() throws Malformed {
        while (Text.isBlank(peek())) {
            at++;
        }
        if (at == text.length()) {
            return false;
        }
        expect(',');
        while (Text.isBlank(peek())) {
            at++;
        }
        if (at == text.length()) {
            throw Malformed.INSTANCE;
        }
        return true;
    }

    private Item readMember() throws Malformed {
        return peek() == '(' ? readInnerList() : readItem();
    }

    private Item readInnerList() throws Malformed {
        expect('(');
        List<Item> items = new ArrayList<>();
        while (true) {
            skipSpaces();
            if (skip(')')) {
                return new Item(new InnerList(items), readParameters());
            }
            if (items.size() == Text.MOST_MEMBERS) {
                throw Malformed.INSTANCE;
            }
            items.add(readItem());
            if (peek() != ' ' && peek() != ')') {
                throw Malformed.INSTANCE;
            }
        }
    }

    private Item readItem() throws Malformed {
        return new Item(readBareItem(), readParameters());
    }

    private Map<String, Object> readParameters() throws Malformed {
        if (peek() != ';') {
            return Map.of();
        }
        Map<String, Object> parameters = new LinkedHashMap<>();
        while (skip(';')) {
            skipSpaces();
            String key = readKey();
            parameters.put(key, skip('=') ? readBareItem() : Boolean.TRUE);
        }
        return parameters;
    }

    private String readKey() throws Malformed {
        int from = at;
        if (!Text.isLower(peek()) && peek() != '*') {
            throw Malformed.INSTANCE;
        }
        while (Text.isLower(peek()) || Text.isDigit(peek()) || isOneOf(KEY_SYMBOLS)) {
            at++;
        }
        return text.substring(from, at);
    }

    private Object readBareItem() throws Malformed {
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
            case '@' -> readDate();
            case '%' -> readDisplayString();
            default -> throw Malformed.INSTANCE;
        };
    }

    private Object readNumber() throws Malformed {
        boolean negative = skip('-');
        int from = at;
        skipDigits();
        int digits = at - from;
        if (digits == 0 || digits > INTEGER_DIGITS) {
            throw Malformed.INSTANCE;
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
            throw Malformed.INSTANCE;
        }
        double number = Double.parseDouble(text.substring(from, at));
        return negative ? -number : number;
    }

    private Date readDate() throws Malformed {
        expect('@');
        if (readNumber() instanceof Long seconds) {
            return new Date(seconds);
        }
        throw Malformed.INSTANCE;
    }

    private Token readToken() {
        int from = at;
        while (Text.isLetter(peek()) || Text.isDigit(peek()) || isOneOf(TOKEN_SYMBOLS)) {
            at++;
        }
        return new Token(text.substring(from, at));
    }

    private String readString() throws Malformed {
        expect('"');
        StringBuilder string = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                return string.toString();
            }
            if (c == '\\') {
                c = next();
                if (c != '"' && c != '\\') {
                    throw Malformed.INSTANCE;
                }
            }
            string.append(c);
        }
    }

    private DisplayString readDisplayString() throws Malformed {
        expect('%');
        expect('"');
        ByteBuffer bytes = ByteBuffer.allocate(text.length() - at);
        while (true) {
            char c = next();
            if (c == '"') {
                return new DisplayString(utf8(bytes.flip()));
            }
            bytes.put((byte) (c == '%' ? readHex() * HEX + readHex() : c));
        }
    }

    private int readHex() throws Malformed {
        char c = next();
        if (!Text.isDigit(c) && (c < 'a' || c > 'f')) {
            throw Malformed.INSTANCE;
        }
        return Character.digit(c, HEX);
    }

    private static String utf8(ByteBuffer bytes) throws Malformed {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (CharacterCodingException e) {
            throw Malformed.INSTANCE;
        }
    }

    private Bytes readBytes() throws Malformed {
        expect(':');
        int end = text.indexOf(':', at);
        if (end < 0) {
            throw Malformed.INSTANCE;
        }
        String base64 = text.substring(at, end);
        at = end + 1;
        try {
            return new Bytes(
                    Base64.getEncoder().encodeToString(Base64.getDecoder().decode(base64)));
        } catch (IllegalArgumentException e) {
            throw Malformed.INSTANCE;
        }
    }

    private Boolean readBoolean() throws Malformed {
        expect('?');
        if (skip('1')) {
            return Boolean.TRUE;
        }
        expect('0');
        return Boolean.FALSE;
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }

    /** Moves over a character of a quoted string; it may be any printable one. */
    private char next() throws Malformed {
        char c = peek();
        if (c < ' ' || c > '~') {
            throw Malformed.INSTANCE;
        }
        at++;
        return c;
    }

    private boolean skip(char c) {
        if (peek() != c) {
            return false;
        }
        at++;
        return true;
    }

    private void expect(char c) throws Malformed {
        if (!skip(c)) {
            throw Malformed.INSTANCE;
        }
    }

    private void skipSpaces() {
        while (peek() == ' ') {
            at++;
        }
    }

    private void skipDigits() {
        while (Text.isDigit(peek())) {
            at++;
        }
    }

    private boolean isOneOf(String symbols) {
        return at < text.length() && symbols.indexOf(text.charAt(at)) >= 0;
    }

    private interface Reader<T> {
        T read(StructuredFields fields) throws Malformed;
    }

    /** Ends the reading of a field that is not well-formed. Costs nothing, as it has no stack trace. */
    private static final class Malformed extends Exception {

        private static final long serialVersionUID = 1;
        static final Malformed INSTANCE = new Malformed();

        private Malformed() {
            super("malformed", null, false, false);
        }
    }

    /** A member of a list or dictionary; of several parameters with one name the last counts. */
    record Item(Object value, Map<String, Object> parameters) {

        /** {@return the text of a string or token; null for other values} */
        @Nullable String text() {
            if (value instanceof Token token) {
                return token.name();
            }
            return value instanceof String string ? string : null;
        }

        /** {@return an integer that is not negative; null if the parameter is missing or something else} */
        @Nullable Long count(String parameter) {
            return parameters.get(parameter) instanceof Long number && number >= 0 ? number : null;
        }

        /** {@return the text of a string or token parameter; null if it is missing or something else} */
        @Nullable String text(String parameter) {
            Object of = parameters.get(parameter);
            return of == null ? null : new Item(of, Map.of()).text();
        }
    }

    /** A word without quotes. */
    record Token(String name) {}

    /** Bytes, as base 64. */
    record Bytes(String base64) {}

    /** Seconds since the epoch. */
    record Date(long seconds) {}

    /** Text of any characters. */
    record DisplayString(String text) {}

    /** A list inside a list. */
    record InnerList(List<Item> items) {}
}
