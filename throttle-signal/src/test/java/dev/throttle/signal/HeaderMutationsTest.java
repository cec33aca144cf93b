package dev.throttle.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real header sets, damaged at random. Whatever comes out, nobody is hurt. */
class HeaderMutationsTest {

    private static final int MUTATIONS = 1_000_000;
    private static final Duration LONGEST = Duration.ofSeconds(1L << 31);
    private static final Pattern PLAIN = Pattern.compile("[0-9]{1,9}");
    private static final Pattern RELATIVE = Pattern.compile("retry-after", Pattern.CASE_INSENSITIVE);
    private static final String[] SPLICES = {
        ",",
        ";",
        "=",
        "\"",
        ":",
        " ",
        "\t",
        "-",
        "+",
        ".",
        "0",
        "9",
        "999999999999",
        "1e9",
        "NaN",
        "\u00b5",
        "\uff11",
        "ms",
        "h",
        "GMT",
        "-1",
        "0,",
        ";w=",
        ";r=0",
        "(",
        ")",
        "%\"",
        "@1",
        "\u0000",
        "Tue, "
    };

    private final SplittableRandom random = new SplittableRandom(4);
    private final List<Vector> vectors = Vector.all();

    @Tag("slow")
    @Test
    void aMillionDamagedResponsesAreReadWithoutHarm() {
        long refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            Vector vector = vectors.get(random.nextInt(vectors.size()));
            Head head = mutate(vector.head());
            RateHints hints = HintReader.standard().read(head, vector.receivedAt());
            check(hints, head);
            if (Classifier.standard().classify(head, hints).isRefusal()) {
                refused++;
                checkWait(hints, head);
            }
        }
        assertThat(refused).isGreaterThan(MUTATIONS / 10);
    }

    private static void check(RateHints hints, Head head) {
        boolean sound = isSound(hints.retryAfter());
        for (Quota quota : hints.quotas()) {
            sound &= isSound(quota.reset())
                    && isSound(quota.window())
                    && (quota.window() == null || !quota.window().isZero())
                    && (quota.limit() == null || quota.limit() >= 0)
                    && (quota.remaining() == null || quota.remaining() >= 0);
        }
        hints.scarcest();
        if (!sound) {
            throw new AssertionError(hints + " of " + head);
        }
    }

    private static boolean isSound(@Nullable Duration duration) {
        return duration == null || (!duration.isNegative() && duration.compareTo(LONGEST) <= 0);
    }

    /**
     * What the plainest of readers sees as Retry-After bounds the wait, but for the second that milliseconds refine.
     */
    private static void checkWait(RateHints hints, Head head) {
        long least = -1;
        boolean refined = false;
        for (int i = 0; i < head.lines().size(); i += 2) {
            String name = head.lines().get(i);
            String value = head.lines().get(i + 1);
            if (!name.equalsIgnoreCase("Retry-After")) {
                refined |= RELATIVE.matcher(name).find();
            } else if (PLAIN.matcher(value).matches()) {
                least = Math.max(least, Long.parseLong(value) * 1000);
            }
        }
        Duration wait = hints.refusalWait();
        if (least >= 0 && (wait == null || wait.toMillis() < least - (refined ? 999 : 0))) {
            throw new AssertionError(hints + " of " + head);
        }
    }

    private Head mutate(Head head) {
        List<String> lines = new ArrayList<>(head.lines());
        for (int i = 1 + random.nextInt(3); i > 0 && !lines.isEmpty(); i--) {
            int line = 2 * random.nextInt(lines.size() / 2);
            int part = random.nextInt(4) == 0 ? line : line + 1;
            String text = lines.get(part);
            switch (random.nextInt(7)) {
                case 0 -> lines.set(part, flip(text));
                case 1 -> lines.set(part, multiplyDigits(text));
                case 2 -> lines.addAll(List.of(lines.get(line), lines.get(line + 1)));
                case 3 -> lines.set(part, text.substring(0, random.nextInt(text.length() + 1)));
                case 4 -> lines.set(part, insert(text, SPLICES[random.nextInt(SPLICES.length)]));
                case 5 -> lines.set(line + 1, insert(text, lines.get(2 * random.nextInt(lines.size() / 2) + 1)));
                default -> lines.addAll(someLineOfAnother());
            }
        }
        return new Head(random.nextInt(4) == 0 ? 429 : head.status(), "", lines);
    }

    private List<String> someLineOfAnother() {
        List<String> other = vectors.get(random.nextInt(vectors.size())).head().lines();
        if (other.isEmpty()) {
            return List.of("Age", "0");
        }
        int line = 2 * random.nextInt(other.size() / 2);
        return List.of(other.get(line), other.get(line + 1));
    }

    private String flip(String text) {
        if (text.isEmpty()) {
            return "\u0001";
        }
        int at = random.nextInt(text.length());
        char flipped = (char) (text.charAt(at) ^ (1 << random.nextInt(8)));
        return text.substring(0, at) + flipped + text.substring(at + 1);
    }

    private String multiplyDigits(String text) {
        int at = random.nextInt(text.length() + 1);
        return insert(text.substring(0, at), String.valueOf(random.nextInt(10)).repeat(1 + random.nextInt(20)))
                + text.substring(at);
    }

    private String insert(String text, String piece) {
        int at = random.nextInt(text.length() + 1);
        return text.substring(0, at) + piece + text.substring(at);
    }
}
