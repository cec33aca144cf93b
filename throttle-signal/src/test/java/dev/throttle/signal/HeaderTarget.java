package dev.throttle.signal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Any response is read without harm. An input is a status and a line for each header:
 *
 * <pre>
 * 429
 * Retry-After: 7
 * </pre>
 */
public final class HeaderTarget {

    private static final Duration LONGEST = Duration.ofSeconds(1L << 31);
    private static final Pattern STATUS = Pattern.compile("([1-5][0-9][0-9])( [a-z.]+)?");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");

    private HeaderTarget() {}

    /** Fails if an input is read as something that cannot be. */
    public static void check(byte[] input) {
        Head head = head(new String(input, StandardCharsets.ISO_8859_1));
        RateHints hints = head.hints();
        hints.quotas().forEach(HeaderTarget::check);
        checkDuration(hints.retryAfter());
        checkDuration(hints.refusalWait());
        checkWait(hints, head);
        Expect.equal(head.hints(), hints, "read again");
        Expect.equal(upper(head).hints(), hints, "names in upper case");

        Outcome outcome = Classifier.standard().classify(head, hints);
        Expect.that(outcome != null, "outcome", outcome);
        Quota scarcest = hints.scarcest();
        Expect.that(scarcest == null || hints.quotas().contains(scarcest), "scarcest", scarcest);
        hints.isExhausted();
        hints.countsCosts();
    }

    private static Head head(String text) {
        String[] lines = text.split("\n", -1);
        Matcher status = STATUS.matcher(lines[0]);
        List<String> headers = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.add(lines[i].substring(0, colon));
                headers.add(lines[i].substring(colon + 1).strip());
            }
        }
        if (!status.matches()) {
            return new Head(429, "", headers);
        }
        String host = status.group(2);
        return new Head(Integer.parseInt(status.group(1)), host == null ? "" : host.strip(), headers);
    }

    private static Head upper(Head head) {
        List<String> lines = new ArrayList<>(head.lines());
        for (int i = 0; i < lines.size(); i += 2) {
            String name = lines.get(i);
            if (name.chars().allMatch(c -> c < 0x7f)) {
                lines.set(i, name.toUpperCase(Locale.ROOT));
            }
        }
        return new Head(head.status(), head.host(), lines);
    }

    private static void check(Quota quota) {
        checkDuration(quota.reset());
        checkDuration(quota.window());
        Expect.that(!Duration.ZERO.equals(quota.window()), "window", quota);
        checkAmount(quota.limit());
        checkAmount(quota.remaining());
        checkAmount(quota.spendable());
        Expect.that(!quota.unit().isEmpty(), "unit", quota);
        Double rate = quota.unitsPerSecond();
        Expect.that(rate == null || rate >= 0, "units per second", quota);
    }

    private static void checkAmount(@Nullable Long amount) {
        Expect.that(amount == null || amount >= 0, "amount", amount);
    }

    private static void checkDuration(@Nullable Duration duration) {
        boolean isSound = duration == null || (!duration.isNegative() && duration.compareTo(LONGEST) <= 0);
        Expect.that(isSound, "duration", duration);
    }

    /** A Retry-After of plain seconds is kept, but for the second that headers in milliseconds refine. */
    private static void checkWait(RateHints hints, Head head) {
        for (String value : head.headers("retry-after")) {
            if (SECONDS.matcher(value).matches()) {
                Duration least = Duration.ofSeconds(Long.parseLong(value)).minusMillis(999);
                Duration wait = hints.retryAfter();
                Expect.that(wait != null && wait.compareTo(least) >= 0, "Retry-After " + value, wait);
            }
        }
    }
}
