package dev.throttle.lab.watch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the text format of Prometheus, and what OpenMetrics has in common with it. Lines of no known form are left out.
 */
final class PrometheusText {

    /** Braces and blanks in a value of a label end nothing. */
    private static final Pattern LINE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*+)"
            + "(?:\\{((?:[^\"}]++|\"(?:[^\"\\\\]++|\\\\.)*+\")*+)})?[ \\t]++(\\S++)(?:[ \\t].*)?");

    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*+)=\"((?:[^\"\\\\]++|\\\\.)*+)\",?[ \\t]*+");

    private PrometheusText() {}

    /** A value, with the name of its metric and its labels. */
    record Reading(String name, Map<String, String> labels, double value) {}

    /** {@return the values of the metrics whose names begin so} */
    static List<Reading> parse(String text, String prefix) {
        List<Reading> readings = new ArrayList<>();
        text.lines().filter(line -> line.startsWith(prefix)).forEach(line -> {
            Matcher matcher = LINE.matcher(line);
            if (matcher.matches()) {
                add(readings, matcher);
            }
        });
        return readings;
    }

    private static void add(List<Reading> readings, Matcher line) {
        try {
            double value = Double.parseDouble(line.group(3));
            if (Double.isFinite(value)) {
                readings.add(new Reading(line.group(1), labels(line.group(2)), value));
            }
        } catch (NumberFormatException e) {
            // +Inf, or no number at all: nothing that a chart could show
        }
    }

    private static Map<String, String> labels(@Nullable String text) {
        Map<String, String> labels = new LinkedHashMap<>();
        if (text != null) {
            Matcher matcher = LABEL.matcher(text);
            while (matcher.lookingAt()) {
                labels.put(matcher.group(1), unescaped(matcher.group(2)));
                matcher.region(matcher.end(), text.length());
            }
        }
        return labels;
    }

    private static String unescaped(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '\\' && i + 1 < text.length()) {
                i++;
                plain.append(text.charAt(i) == 'n' ? '\n' : text.charAt(i));
            } else {
                plain.append(each);
            }
        }
        return plain.toString();
    }
}
