package dev.throttle.lab.torture;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The headers by which servers tell of limits, and what looks like them: true, wrong, torn and endless. */
final class Hints {

    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    private static final String[] RETRY_AFTER = {
        "0", "1", "2", "1.5", "-5", " 1 ", "0, 1", "1, 2", "", "soon", "1e3", "0x10", "\"1\"", "1;q=2", "Tomorrow"
    };

    /** Waits that no call lasts for. They are sent rarely, or no key would be left. */
    private static final String[] ENDLESS = {"3600", "86400", "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT"};

    private Hints() {}

    static List<String> ofRefusal(Dice dice) {
        List<String> lines = new ArrayList<>();
        if (dice.perMille(600)) {
            add(lines, "Retry-After", dice.perMille(5) ? dice.oneOf(ENDLESS) : dice.oneOf(RETRY_AFTER));
        }
        switch (dice.below(12)) {
            case 0 -> add(lines, "Retry-After", "@" + dice.below(3));
            case 1 -> add(lines, "Retry-After", "@-" + dice.below(300));
            case 2 -> add(lines, "retry-after-ms", "" + dice.spread(3000));
            case 3 -> add(lines, "X-RateLimit-Reset", "" + dice.below(3));
            case 4 -> add(lines, "x-ratelimit-reset-requests", dice.spread(3000) + "ms");
            case 5 -> add(lines, "RateLimit", "\"p\";r=0;t=" + dice.below(3));
            default -> {}
        }
        if (dice.perMille(300)) {
            lines.addAll(ofAnswer(dice));
        }
        return lines;
    }

    static List<String> ofAnswer(Dice dice) {
        List<String> lines = new ArrayList<>();
        int limit = 1 + dice.spread(5000);
        switch (dice.below(12)) {
            case 0, 1 -> {
                add(lines, "X-RateLimit-Limit", "" + limit);
                add(lines, "X-RateLimit-Remaining", "" + dice.spread(limit + 1));
                add(lines, "X-RateLimit-Reset", "" + (1 + dice.spread(60)));
            }
            case 2 -> add(lines, "RateLimit-Remaining", "" + dice.spread(4500));
            case 3 -> {
                add(lines, "RateLimit", "\"a\";r=" + dice.spread(limit) + ";t=" + dice.spread(60));
                add(lines, "RateLimit-Policy", "\"a\";q=" + limit + ";w=60, \"b\";q=1");
            }
            case 4 ->
                add(lines, "RateLimit-Policy", "\"" + dice.below(1000) + "\";q=" + limit + ";w=" + dice.below(99));
            case 5 -> add(lines, "X-RateLimit-Remaining", "-" + limit);
            case 6 -> {
                add(lines, "x-ratelimit-remaining-tokens", "" + dice.spread(90_000));
                add(lines, "x-ratelimit-limit-tokens", "90000");
                add(lines, "x-ratelimit-reset-tokens", dice.spread(60) + "s");
            }
            case 7 -> add(lines, "X-RateLimit-Remaining", "many");
            case 8 -> {
                add(lines, "X-RateLimit-Limit", "99999999999999999999");
                add(lines, "X-RateLimit-Reset", "99999999999999999999");
            }
            case 9 -> {
                for (int i = 0; i < 20; i++) {
                    add(lines, "X-RateLimit-Remaining-" + i, "" + dice.below(limit));
                }
            }
            default -> {}
        }
        return lines;
    }

    private static void add(List<String> lines, String name, String value) {
        lines.add(name);
        lines.add(value);
    }

    /** {@return a value as it goes out: one that begins with @ is a date so many seconds from now} */
    static String dated(String value, long nowMillis) {
        return value.startsWith("@")
                ? HTTP_DATE.format(Instant.ofEpochMilli(nowMillis + 1000 * Long.parseLong(value.substring(1))))
                : value;
    }

    static String date(long nowMillis) {
        return HTTP_DATE.format(Instant.ofEpochMilli(nowMillis));
    }
}
