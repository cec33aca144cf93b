package dev.throttle.signal.header;

import dev.throttle.signal.Expect;
import dev.throttle.signal.ResetUnit;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Whatever stands for a time is between zero and the longest one, and what the JDK understands is understood as the JDK
 * does. An input is the value of a {@code Retry-After}; a second line is the value of {@code Date}.
 */
public final class TimeTarget {

    private static final long NOW = 1_700_000_000_000L;
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");
    private static final Pattern DATE =
            Pattern.compile("[A-Za-z]{3}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT");
    private static final DateTimeFormatter FIXDATE =
            DateTimeFormatter.ofPattern("dd MMM uuuu HH:mm:ss", Locale.ENGLISH).withResolverStyle(ResolverStyle.STRICT);
    private static final Pattern TIMESTAMP = Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
            + "(\\.[0-9]{3})?(Z|[+-](0[0-9]|1[0-7]):[0-5][0-9])");

    private TimeTarget() {}

    /** Fails if an input is read as something that cannot be. */
    public static void check(byte[] input) {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        int end = text.indexOf('\n');
        String value = end < 0 ? text : text.substring(0, end);
        String date = end < 0 ? "" : text.substring(end + 1);
        for (ResetUnit unit : ResetUnit.values()) {
            ResetTimeParser when = ResetTimeParser.of(date, NOW, unit);
            checkBounds(when.until(value));
            checkBounds(when.untilReset(value));
            checkBounds(when.untilMillis(value));
        }
        checkBounds(ResetTimeParser.millis(value));
        checkBounds(ResetTimeParser.delta(value));

        ResetTimeParser when = ResetTimeParser.of("", NOW, ResetUnit.AUTO);
        RetryAfter retryAfter = new RetryAfter();
        retryAfter.addStandard(value, when);
        retryAfter.addMillis(value);
        retryAfter.addOther(value, when);
        checkBounds(retryAfter.millis());

        if (SECONDS.matcher(value).matches()) {
            Expect.equal(when.until(value), Long.parseLong(value) * 1000, "seconds");
        }
        checkDate(value);
        checkTimestamp(value);
    }

    private static void checkBounds(long millis) {
        Expect.that(millis == Millis.NONE || (millis >= 0 && millis <= Millis.MAX), "milliseconds", millis);
    }

    private static void checkDate(String value) {
        if (!DATE.matcher(value).matches()) {
            return;
        }
        String text = value.substring(5, value.length() - 4);
        long expected;
        try {
            expected =
                    LocalDateTime.parse(text, FIXDATE).toInstant(ZoneOffset.UTC).toEpochMilli();
        } catch (DateTimeException e) {
            return; // a leap second perhaps, or no date at all
        }
        Expect.equal(Dates.httpDate(value, NOW), expected, "date");
    }

    private static void checkTimestamp(String value) {
        if (!TIMESTAMP.matcher(value).matches()) {
            return;
        }
        Instant expected;
        try {
            expected = OffsetDateTime.parse(value).toInstant();
        } catch (DateTimeException e) {
            return;
        }
        Expect.equal(Dates.timestamp(value), expected.toEpochMilli(), "timestamp");
    }
}
