package dev.throttle.signal.header;

import java.nio.charset.StandardCharsets;

/**
 * A structured field is read as the reference implementation reads it. An input is the value of a header. The reference
 * does not know dates and display strings, which RFC 9651 has added, and reads lists of any length.
 */
public final class StructuredTarget {

    private StructuredTarget() {}

    /** Fails if an input is read in another way. */
    public static void check(byte[] input) {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        long separators = text.chars().filter(c -> c == ',' || c == ' ').count();
        if (text.indexOf('@') >= 0 || text.contains("%\"") || separators >= Text.MOST_MEMBERS) {
            StructuredFields.list(text);
            StructuredFields.dictionary(text);
        } else {
            StructuredFieldsOracleTest.isUnderstood(text);
        }
    }
}
