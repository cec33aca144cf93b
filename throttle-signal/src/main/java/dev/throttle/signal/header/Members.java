package dev.throttle.signal.header;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of a value that names its parts, whatever stands between them: {@code total=100; remaining=99},
 * {@code {"limit":50,"remaining":49}}, {@code Remaining: 394 Time until reset: 3589}.
 *
 * @param key its name
 * @param value its value, without quotes
 */
record Members(String key, String value) {

    private static final String ENDS = ",;{}()";

    /** {@return the parts; none if there are too many} */
    static List<Members> of(String text) {
        List<Members> members = new ArrayList<>();
        int i = 0;
        int keyAt = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (ENDS.indexOf(c) >= 0) {
                keyAt = i + 1;
            } else if (c == '=' || c == ':') {
                int from = i + 1;
                while (from < text.length() && Text.isBlank(text.charAt(from))) {
                    from++;
                }
                boolean quoted = from < text.length() && text.charAt(from) == '"';
                from = quoted ? from + 1 : from;
                int to = end(text, from, quoted);
                String key = text.substring(keyAt, i)
                        .replace('"', ' ')
                        .replace('\'', ' ')
                        .strip();
                if (!key.isEmpty() && to > from) {
                    if (members.size() == Text.MOST_MEMBERS) {
                        return List.of();
                    }
                    members.add(new Members(key, text.substring(from, to)));
                }
                keyAt = quoted ? to + 1 : to;
                i = keyAt - 1;
            }
            i++;
        }
        return members;
    }

    private static int end(String text, int from, boolean quoted) {
        int to = from;
        while (to < text.length()) {
            char c = text.charAt(to);
            if (quoted ? c == '"' : Text.isBlank(c) || ENDS.indexOf(c) >= 0) {
                break;
            }
            to++;
        }
        return to;
    }

    /** {@return the key as names of headers are written} */
    String headerName() {
        return Text.lower(key).replace('_', '-').replace(' ', '-');
    }
}
