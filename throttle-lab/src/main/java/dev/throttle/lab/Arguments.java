package dev.throttle.lab;

import dev.throttle.internal.DurationText;
import dev.throttle.lab.server.HeaderLie;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.sim.Change;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** Reads arguments; each complaint says what the argument takes. */
final class Arguments {

    private static final Pattern JOIN = Pattern.compile("([^:]+):\\+([0-9]{1,9})");
    private static final Pattern LEAVE = Pattern.compile("([^:]+):-([0-9]{1,9})");

    private Arguments() {}

    static Duration duration(String text) {
        try {
            Duration duration = DurationText.parse("duration", text);
            if (!duration.equals(DurationText.FOREVER)) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            // the same complaint for all
        }
        throw wrong(text, "a duration: a number and ns, us, ms, s, m or h, such as 250ms or 1.5s");
    }

    static int wholeInt(String text) {
        long value = whole(text);
        if (value != (int) value) {
            throw wrong(text, "a whole number, " + Integer.MAX_VALUE + " at most");
        }
        return (int) value;
    }

    static long whole(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw wrong(text, "a whole number");
        }
    }

    static double number(String text) {
        try {
            double value = Double.parseDouble(text);
            if (Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException e) {
            // the same complaint for all
        }
        throw wrong(text, "a number");
    }

    static OnOff onOff(String text) {
        return oneOf(text, OnOff.values(), OnOff::text);
    }

    static ServerKind server(String text) {
        return oneOf(text, ServerKind.values(), ServerKind::text);
    }

    static HeaderStyle headers(String text) {
        return oneOf(text, HeaderStyle.values(), HeaderStyle::text);
    }

    static HeaderLie lie(String text) {
        return oneOf(text, HeaderLie.values(), HeaderLie::text);
    }

    static ReportFormat format(String text) {
        return oneOf(text, ReportFormat.values(), ReportFormat::text);
    }

    static BusyRpsSimulation.Pattern pattern(String text) {
        return oneOf(
                text,
                BusyRpsSimulation.Pattern.values(),
                pattern -> pattern.name().toLowerCase(Locale.ROOT));
    }

    static Change join(String text) {
        return change(text, JOIN, 1, "when and how many processes come, such as 5m:+8");
    }

    static Change leave(String text) {
        return change(text, LEAVE, -1, "when and how many processes go, such as 20m:-8");
    }

    private static Change change(String text, Pattern pattern, int sign, String takes) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw wrong(text, takes);
        }
        int count = Integer.parseInt(matcher.group(2));
        if (count == 0) {
            throw wrong(text, takes);
        }
        return new Change(duration(matcher.group(1)), sign * count);
    }

    static <E> E oneOf(String text, E[] values, Function<E, String> names) {
        for (E value : values) {
            if (names.apply(value).equals(text)) {
                return value;
            }
        }
        List<String> known = Arrays.stream(values).map(names).toList();
        throw wrong(text, "one of " + String.join(", ", known));
    }

    private static TypeConversionException wrong(String text, String takes) {
        return new TypeConversionException("'" + text + "': it takes " + takes);
    }
}
