package dev.throttle.reality.external;

import dev.throttle.reality.answers.RawAnswer;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The end of a window as servers write it. It is known as well as the time of the request with which the window began.
 *
 * @param first the answer to that request
 * @param window how long the window is where nothing else is said
 */
record WindowEnd(RawAnswer first, Duration window) {

    /** {@code {seconds}} or {@code {seconds:1}}. */
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)(?::(\\d+))?}");

    private static final DateTimeFormatter JAVASCRIPT =
            DateTimeFormatter.ofPattern("EEE MMM dd yyyy HH:mm:ss 'GMT'Z", Locale.ROOT);

    /** Clocks of two processes are rounded to milliseconds, some down and some up. */
    private static final long SLACK_MILLIS = 3;

    /**
     * {@return what is wrong with an answer, empty if nothing is}
     *
     * @param expected the expected text, with placeholders for the end of the window
     * @param answer the answer
     */
    String difference(String expected, RawAnswer answer) {
        String actual = answer.aboutLimits();
        Matcher placeholders = PLACEHOLDER.matcher(expected);
        StringBuilder shape = new StringBuilder();
        int copied = 0;
        while (placeholders.find()) {
            shape.append(Pattern.quote(expected.substring(copied, placeholders.start())))
                    .append("([^|,]*?)");
            copied = placeholders.end();
        }
        shape.append(Pattern.quote(expected.substring(copied)));
        Matcher values = Pattern.compile(shape.toString()).matcher(actual);
        if (!values.matches()) {
            return "not this shape";
        }
        placeholders.reset();
        for (int group = 1; placeholders.find(); group++) {
            String seconds = placeholders.group(2);
            Duration length = seconds == null ? window : Duration.ofSeconds(Long.parseLong(seconds));
            String wrong = wrong(placeholders.group(1), values.group(group), length, answer);
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        return "";
    }

    private String wrong(String form, String value, Duration length, RawAnswer answer) {
        long earliest = first.sentMillis() + length.toMillis() - SLACK_MILLIS;
        long latest = first.receivedMillis() + length.toMillis() + SLACK_MILLIS;
        long least = earliest - answer.receivedMillis();
        long most = latest - answer.sentMillis();
        return switch (form) {
            case "seconds" -> between(form, value, value, up(least), up(most));
            case "floor" -> between(form, value, value, down(least), down(most));
            case "fraction" -> between(form, value, millis(value), least, most);
            case "epoch" -> between(form, value, value, up(earliest), up(latest));
            case "epochFraction" -> between(form, value, millis(value), earliest, latest);
            case "epochMillis" -> between(form, value, value, earliest, latest);
            case "iso" ->
                between(form, value, Long.toString(Instant.parse(value).toEpochMilli()), earliest, latest);
            case "date" -> between(form, value, Long.toString(javaScript(value)), down(earliest), down(latest));
            default -> throw new IllegalArgumentException(form);
        };
    }

    private static String between(String form, String shown, String value, long least, long most) {
        long number = Long.parseLong(value);
        return number >= least && number <= most ? "" : form + " " + shown + " is not from " + least + " to " + most;
    }

    private static long up(long millis) {
        return -Math.floorDiv(-millis, 1000L);
    }

    private static long down(long millis) {
        return Math.floorDiv(millis, 1000L);
    }

    /** {@return decimal seconds in milliseconds, rounded down} */
    private static String millis(String seconds) {
        return new BigDecimal(seconds)
                .movePointRight(3)
                .setScale(0, RoundingMode.DOWN)
                .toPlainString();
    }

    /** {@return the seconds of a date as JavaScript prints it, with the name of the zone in the end} */
    private static long javaScript(String date) {
        return OffsetDateTime.parse(date.substring(0, date.indexOf(" (")), JAVASCRIPT)
                .toEpochSecond();
    }
}
