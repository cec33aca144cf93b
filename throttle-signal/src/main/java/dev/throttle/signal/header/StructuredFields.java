package dev.throttle.signal.header;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lists and dictionaries of RFC 9651, as strictly as it asks: one mistake anywhere and the whole field counts
 * as not sent. Lists inside lists, which no header about limits has, and more than {@value Text#MOST_MEMBERS} members
 * count as mistakes. Linear in the length of the text.
 */
final class StructuredFields extends BareItemReader {

    private static final String KEY_SYMBOLS = "_-.*";

    private StructuredFields(String text) {
        super(text);
    }

    /** {@return the members of a list; null if the text is none} */
    static @Nullable List<StructuredItem> list(String text) {
        return read(text, StructuredFields::readList);
    }

    /** {@return the members of a dictionary; null if the text is none} */
    static @Nullable Map<String, StructuredItem> dictionary(String text) {
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

    private List<StructuredItem> readList() throws Malformed {
        List<StructuredItem> members = new ArrayList<>();
        while (at < text.length()) {
            if (members.size() == Text.MOST_MEMBERS) {
                throw new Malformed();
            }
            members.add(readItem());
            if (!readComma()) {
                break;
            }
        }
        return members;
    }

    private Map<String, StructuredItem> readDictionary() throws Malformed {
        Map<String, StructuredItem> members = new LinkedHashMap<>();
        int count = 0;
        while (at < text.length()) {
            if (count++ == Text.MOST_MEMBERS) {
                throw new Malformed();
            }
            String key = readKey();
            members.put(key, skip('=') ? readItem() : new StructuredItem(true, readParameters()));
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
            throw new Malformed();
        }
        return true;
    }

    private StructuredItem readItem() throws Malformed {
        return new StructuredItem(readBareItem(), readParameters());
    }

    private Map<String, Object> readParameters() throws Malformed {
        if (peek() != ';') {
            return Map.of();
        }
        Map<String, Object> parameters = new LinkedHashMap<>();
        while (skip(';')) {
            skipSpaces();
            String key = readKey();
            parameters.put(key, skip('=') ? readBareItem() : (Object) true);
        }
        return parameters;
    }

    private String readKey() throws Malformed {
        int from = at;
        if (!Text.isLower(peek()) && peek() != '*') {
            throw new Malformed();
        }
        while (Text.isLower(peek()) || Text.isDigit(peek()) || isOneOf(KEY_SYMBOLS)) {
            at++;
        }
        return text.substring(from, at);
    }

    private interface Reader<T> {
        T read(StructuredFields fields) throws Malformed;
    }
}
