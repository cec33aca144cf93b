package dev.throttle.lab.page;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The reports of throttles that only observe as one HTML file, made of what the actuator answers. */
public final class ReportPage {

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double PERCENT = 100;
    private static final double UNRELIABLE = 0.9;

    private ReportPage() {}

    /**
     * {@return the page}
     *
     * @param answer what the endpoint {@code throttlereport} answers, for all keys or for one
     * @throws IllegalArgumentException if it is something else
     */
    public static String html(Map<String, Object> answer) {
        List<?> entries = answer.get("reports") instanceof List<?> all ? all : List.of(answer);
        StringBuilder keys = new StringBuilder();
        for (Object entry : entries) {
            keys.append(section(object(entry, "reports")));
        }
        if (entries.isEmpty()) {
            keys.append("<p>No throttle observes, or none has seen a request.</p>\n");
        }
        return PageTemplate.fill("report.html", Map.of("title", "Dry run", "keys", keys.toString()));
    }

    private static String section(Map<?, ?> entry) {
        Map<?, ?> report = object(entry.get("report"), "report");
        double refused = number(report, "replayedRefused");
        double left = number(report, "predictedRefused");
        double most = Math.max(1, Math.max(refused, left));
        StringBuilder text = new StringBuilder();
        text.append("<section>\n<h2>").append(escaped(report.get("label"))).append("</h2>\n");
        text.append("<p>").append(escaped(entry.get("summary"))).append("</p>\n");
        if (number(report, "explained") < UNRELIABLE) {
            text.append("<p class=\"status lost\">The learned limits explain less than 90 % of the answers.")
                    .append(" Do not rely on these figures.</p>\n");
        }
        text.append("<div class=\"bars\">\n");
        bar(text, "refused, as recorded", refused, most, false);
        bar(text, "refused, if paced", left, most, false);
        bar(text, "avoided", number(entry, "avoided"), most, true);
        text.append("</div>\n<table>\n");
        row(text, "Observed for", duration(report, "observed"));
        row(text, "Requests", whole(number(report, "calls")));
        row(text, "Refused", whole(number(report, "refused")));
        row(text, "Replayed", whole(number(report, "replayed")));
        row(text, "Left out as repetitions", whole(number(report, "repeated")));
        row(text, "Calls that would have waited", whole(number(report, "delayed")));
        row(text, "Wait, median", duration(report, "waitP50"));
        row(text, "Wait, 99th percentile", duration(report, "waitP99"));
        row(text, "Wait, longest", duration(report, "waitMax"));
        row(text, "Calls that would have been rejected", whole(number(report, "rejected")));
        row(text, "Answers that the limits explain", percent(number(report, "explained")));
        text.append("</table>\n");
        if (report.get("limits") instanceof List<?> limits && !limits.isEmpty()) {
            text.append(
                    "<table>\n<tr><th>Quota</th><th>Kind</th><th>Amount</th><th>Window</th><th>Used by others</th></tr>\n");
            for (Object each : limits) {
                Map<?, ?> limit = object(each, "limits");
                Object quota = limit.get("quota");
                text.append("<tr><td>")
                        .append(escaped(quota == null ? "" : quota))
                        .append("</td><td>")
                        .append(escaped(limit.get("kind")))
                        .append("</td><td>")
                        .append(whole(number(limit, "amount")))
                        .append(' ')
                        .append(escaped(limit.get("unit")))
                        .append("</td><td>")
                        .append(duration(limit, "window"))
                        .append("</td><td>")
                        .append(percent(number(limit, "othersShare")))
                        .append("</td></tr>\n");
            }
            text.append("</table>\n");
        }
        return text.append("</section>\n").toString();
    }

    private static void bar(StringBuilder text, String name, double value, double most, boolean isGood) {
        text.append(String.format(
                Locale.ROOT,
                "<span>%s</span><div class=\"bar%s\" style=\"width:%.1f%%\"></div><span class=\"number\">%s</span>%n",
                name,
                isGood ? " good" : "",
                PERCENT * value / most,
                whole(value)));
    }

    private static void row(StringBuilder text, String name, String value) {
        text.append("<tr><td>").append(name).append("</td><td>").append(value).append("</td></tr>\n");
    }

    private static Map<?, ?> object(@Nullable Object value, String name) {
        if (value instanceof Map<?, ?> object) {
            return object;
        }
        throw new IllegalArgumentException(name + " must be an answer of /actuator/throttlereport, but was " + value);
    }

    private static double number(Map<?, ?> object, String name) {
        if (object.get(name) instanceof Number number) {
            return number.doubleValue();
        }
        throw new IllegalArgumentException(name + " must be a number, but was " + object.get(name));
    }

    /** A duration is written as seconds, or as ISO 8601 has it. */
    private static String duration(Map<?, ?> object, String name) {
        Object value = object.get(name);
        double seconds;
        try {
            seconds = value instanceof Number number
                    ? number.doubleValue()
                    : Duration.parse(String.valueOf(value)).toNanos() / NANOS_PER_SECOND;
        } catch (DateTimeParseException | ArithmeticException e) {
            throw new IllegalArgumentException(name + " must be a duration, but was " + value, e);
        }
        return String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.0f s", seconds);
    }

    private static String whole(double value) {
        return BigDecimal.valueOf(Math.round(value)).toPlainString();
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", PERCENT * share);
    }

    private static String escaped(@Nullable Object text) {
        return PageTemplate.escaped(String.valueOf(text));
    }
}
