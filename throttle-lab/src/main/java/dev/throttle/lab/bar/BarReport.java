package dev.throttle.lab.bar;

import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes the figures of a group as a table in Markdown: for each strategy the mean over the scenarios and the worst
 * one, with a mark where a bar is not met.
 *
 * @param group the group
 * @param strategies the names of the strategies
 * @param results the results of each strategy, by scenario
 * @param details how many of the worst scenarios of each figure to show
 */
public record BarReport(BarGroup group, List<String> strategies, List<List<BarResult>> results, int details) {

    /** The strategy that the bars are for. */
    public static final String OURS = "quota-pacing";

    /** The strategies of the committed report: the default, the best of the published ones, and the peers. */
    public static final List<String> ALL = List.of(
            OURS,
            "exponential-increase-proportional-remaining-decrease",
            "aws-adaptive",
            "backoff-retry-after",
            "gradient2",
            "greedy-until-reset");

    private static final MathContext DIGITS = new MathContext(4);
    private static final String MISSED = " ✗";

    /** A figure of one strategy over the scenarios of a group. */
    private record Summary(double mean, double worst) {}

    /**
     * {@return the beginning of a report}
     *
     * @param runs how often each scenario was run
     * @param seed the source of all randomness
     */
    public static String heading(int runs, long seed) {
        return "# quota-pacing: figures\n\n"
                + "Written by `java -jar throttle-lab.jar bar --report docs/design/quota-pacing-report.md --runs "
                + runs
                + " --seed " + seed + "`, with the\nmeans of " + runs + " runs of each scenario. [The evidence]"
                + "(quota-pacing-evidence.md#what-is-missed-and-why) tells why the figures are as they are, and\n"
                + "[the lab](../lab.md#the-bar) what they mean. Each cell shows the mean over the scenarios of the group"
                + " and the worst one, beside the bars for\nthe two; \u2717 marks what misses its bar.\n\n";
    }

    /** {@return the cells of one strategy, one for each criterion} */
    public List<String> cells(int strategy) {
        List<String> cells = new ArrayList<>();
        for (int i = 0; i < group.criteria().size(); i++) {
            Criterion criterion = group.criteria().get(i);
            cells.add(cell(criterion, summary(criterion, i, results.get(strategy))));
        }
        return cells;
    }

    /**
     * {@return the mean of each criterion's figure over the scenarios; NaN where it has no meaning}
     *
     * @param strategy the strategy, the first one having the index 0
     */
    public double[] means(int strategy) {
        double[] means = new double[group.criteria().size()];
        for (int i = 0; i < means.length; i++) {
            Summary summary = summary(group.criteria().get(i), i, results.get(strategy));
            means[i] = summary == null ? Double.NaN : summary.mean();
        }
        return means;
    }

    /**
     * Writes the table.
     *
     * @param out where to
     */
    public void write(Writer out) throws IOException {
        out.write("## " + group.name() + ": " + group.title() + " ("
                + group.scenarios().size() + " scenarios)\n\n| figure | bar");
        for (String strategy : strategies) {
            out.write(" | " + strategy);
        }
        out.write(" |\n|---|---" + "|--:".repeat(strategies.size()) + "|\n");
        for (int i = 0; i < group.criteria().size(); i++) {
            Criterion criterion = group.criteria().get(i);
            out.write("| " + criterion.figure().text() + " | " + bar(criterion));
            for (List<BarResult> ofStrategy : results) {
                out.write(" | " + cell(criterion, summary(criterion, i, ofStrategy)));
            }
            out.write(" |\n");
        }
        out.write('\n');
        for (int i = 0; i < group.criteria().size() && details > 0; i++) {
            writeDetails(i, out);
        }
    }

    private static String bar(Criterion criterion) {
        String sign = criterion.atLeast() ? "≥ " : "≤ ";
        Double mean = criterion.mean();
        Double worst = criterion.worst();
        return (mean == null ? "" : sign + number(mean)) + (worst == null ? "" : " / " + sign + number(worst));
    }

    private static String cell(Criterion criterion, @Nullable Summary summary) {
        if (summary == null) {
            return "-";
        }
        return number(summary.mean())
                + (criterion.isMet(summary.mean(), criterion.mean()) ? "" : MISSED)
                + " / " + number(summary.worst())
                + (criterion.isMet(summary.worst(), criterion.worst()) ? "" : MISSED);
    }

    private static @Nullable Summary summary(Criterion criterion, int index, List<BarResult> ofStrategy) {
        double sum = 0;
        int count = 0;
        double worst = Double.NaN;
        for (BarResult result : ofStrategy) {
            Double value = result.means().get(index);
            if (value != null) {
                sum += value;
                worst = count == 0 ? value : criterion.worse(worst, value);
                count++;
            }
        }
        return count == 0 ? null : new Summary(sum / count, worst);
    }

    private void writeDetails(int index, Writer out) throws IOException {
        Criterion criterion = group.criteria().get(index);
        Comparator<BarResult> ascending = Comparator.comparingDouble(
                result -> Objects.requireNonNull(result.means().get(index)));
        for (int strategy = 0; strategy < strategies.size(); strategy++) {
            List<BarResult> worst = results.get(strategy).stream()
                    .filter(result -> result.means().get(index) != null)
                    .sorted(criterion.atLeast() ? ascending : ascending.reversed())
                    .limit(details)
                    .toList();
            for (BarResult result : worst) {
                out.write(strategies.get(strategy) + " " + criterion.figure().text() + " "
                        + number(Objects.requireNonNull(result.means().get(index))) + ": " + result.scenario() + "\n");
            }
        }
        out.write('\n');
    }

    private static String number(double value) {
        return Double.isFinite(value)
                ? new BigDecimal(value).round(DIGITS).stripTrailingZeros().toPlainString()
                : "-";
    }
}
