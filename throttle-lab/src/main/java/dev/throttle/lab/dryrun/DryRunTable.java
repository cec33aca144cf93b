package dev.throttle.lab.dryrun;

import dev.throttle.ThrottleReport;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Predictions beside what came of them, as a table of Markdown. */
public final class DryRunTable {

    private static final double SECOND = 1e9;
    private static final double PERCENT = 100;

    private DryRunTable() {}

    /**
     * A scenario with what came of it.
     *
     * @param scenario its arguments
     * @param result what came of it
     */
    public record Row(String scenario, DryRunCase.Result result) {}

    /** {@return the table} */
    public static String markdown(List<Row> rows) {
        StringBuilder text = new StringBuilder();
        text.append("| scenario | requests | refused | avoided: predicted / real | off | median wait | off |"
                + " 99th percentile | off | rejected | learned | explained |\n");
        text.append("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
        for (Row row : rows) {
            DryRunCase.Result result = row.result;
            ThrottleReport report = result.report();
            text.append(String.format(
                    Locale.ROOT,
                    "| `%s` | %d | %d | %d / %d | %s | %s / %s | %s | %s / %s | %s | %d / %d | %s | %.1f %% |%n",
                    row.scenario,
                    report.replayed(),
                    report.replayedRefused(),
                    report.avoided(),
                    Math.max(0, report.replayedRefused() - result.refused()),
                    percent(result.avoidedError()),
                    seconds(report.waitP50()),
                    seconds(result.waitP50()),
                    percent(result.p50Error()),
                    seconds(report.waitP99()),
                    seconds(result.waitP99()),
                    percent(result.p99Error()),
                    report.rejected(),
                    result.rejected(),
                    report.limits().stream()
                            .map(ThrottleReport.LearnedLimit::toString)
                            .collect(Collectors.joining("; ")),
                    PERCENT * report.explained()));
        }
        return text.toString();
    }

    private static String seconds(Duration duration) {
        return seconds(duration.toNanos() / SECOND);
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, "%.2f s", value);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", PERCENT * share);
    }
}
