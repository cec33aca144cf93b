package dev.throttle.signal.usage;

import dev.throttle.signal.Cost;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Goes once through the JSON of a request, and notes what bounds its answer. What is no JSON tells nothing. */
final class RequestScan {

    private static final int DEEPEST = 3;
    private static final int LONGEST_NAME = 128;
    private static final int MOST_ANSWERS = 128;

    /** A longer string without blanks is an image or a sound and no text. */
    private static final int LONGEST_WORD = 2048;
    /** What such a string counts as: about a thousand tokens. */
    private static final int BYTES_OF_PICTURE = 4000;

    private final byte[] json;
    private int at;
    private int depth;
    private long saved;
    private long limit = Amounts.UNKNOWN;
    private long answers = 1;
    private @Nullable String model;

    private RequestScan(byte[] json) {
        this.json = json;
    }

    static RequestScan of(byte[] json) {
        RequestScan scan = new RequestScan(json);
        scan.run();
        return scan;
    }

    /** {@return the most tokens of all answers together; {@link Amounts#UNKNOWN} if they are not bounded} */
    long maxOutputTokens() {
        return limit == Amounts.UNKNOWN ? limit : Math.min(limit * answers, Cost.MAX_AMOUNT);
    }

    /** {@return the length without what is no text} */
    long textBytes() {
        return json.length - saved;
    }

    @Nullable String model() {
        return model;
    }

    private void run() {
        while (at < json.length) {
            byte c = json[at];
            if (c == '"') {
                string();
            } else {
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
                at++;
            }
        }
    }

    private void string() {
        int from = at + 1;
        int end = endOfString(from);
        at = Math.min(end + 1, json.length);
        int length = end - from;
        if (length > LONGEST_WORD) {
            saved += isPicture(from, end) ? Math.max(0, length - BYTES_OF_PICTURE) : 0;
        } else if (depth <= DEEPEST && length <= LONGEST_NAME && nextIs(':')) {
            member(new String(json, from, length, StandardCharsets.ISO_8859_1));
        }
    }

    private int endOfString(int from) {
        int i = from;
        while (i < json.length && json[i] != '"') {
            i += json[i] == '\\' ? 2 : 1;
        }
        return Math.min(i, json.length);
    }

    /** What a Base64 of any kind, or a URL with one, is made of. */
    private boolean isPicture(int from, int end) {
        for (int i = from; i < end; i++) {
            byte c = json[i];
            if (c <= ' ' || c == '<' || c == '{') {
                return false;
            }
        }
        return true;
    }

    /** Goes to the next character that is no blank; {@return whether it is this one} */
    private boolean nextIs(char expected) {
        while (at < json.length && json[at] >= 0 && json[at] <= ' ') {
            at++;
        }
        return at < json.length && json[at] == expected;
    }

    /** {@return the level down to which a key means what it says; 0 for one that means nothing here} */
    private static int deepest(String key) {
        return switch (key) {
            case "max_tokens", "max_completion_tokens", "max_output_tokens", "max_new_tokens" -> DEEPEST;
            case "maxOutputTokens", "maxTokens" -> DEEPEST;
            case "candidateCount" -> 2;
            case "n", "best_of" -> 1;
            default -> 0;
        };
    }

    private void member(String key) {
        boolean isModel = depth == 1 && key.equals("model");
        if (!isModel && (depth < 1 || depth > deepest(key))) {
            return;
        }
        at++; // the colon
        if (nextIs('"')) {
            int end = endOfString(at + 1);
            if (isModel && end < json.length && end - at <= LONGEST_NAME) {
                model = new String(json, at + 1, end - at - 1, StandardCharsets.UTF_8);
            }
        } else if (!isModel) {
            number(key);
        }
    }

    private void number(String key) {
        int from = at;
        while (at < json.length && (json[at] == '.' || (json[at] >= '0' && json[at] <= '9'))) {
            at++;
        }
        int length = Math.min(at - from, LONGEST_NAME);
        long amount = Amounts.of(new String(json, from, length, StandardCharsets.US_ASCII));
        if (amount <= 0) {
            return;
        }
        if (deepest(key) == DEEPEST) {
            limit = Math.max(limit, amount);
        } else {
            answers = Math.max(answers, Math.min(amount, MOST_ANSWERS));
        }
    }
}
