package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarReport;
import dev.throttle.lab.bar.Criterion;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What each tuned constant of the default strategy is good for. */
@Command(
        name = "ablation",
        mixinStandardHelpOptions = true,
        description = "Switches each tuned constant of the default strategy off, halves and doubles it, and shows as"
                + " Markdown which figures of the bar move.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class AblationCommand implements Callable<Integer> {

    /** With --quick only one of so many scenarios of each group is run. */
    private static final int QUICK = 12;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--constants",
            split = ",",
            paramLabel = "NAME",
            description = "Names of constants, separated by commas; default: all")
    private List<String> constants = new ArrayList<>();

    @Mixin
    private BarOptions bar;

    @Option(names = "--quick", description = "Only one of " + QUICK + " scenarios of each group: a few minutes")
    private boolean quick;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs of each scenario; default: ${DEFAULT-VALUE}")
    private int runs;

    @Option(
            names = "--moved",
            paramLabel = "PERCENT",
            defaultValue = "5",
            description = "By how much a mean has to move to be shown; default: ${DEFAULT-VALUE}")
    private double moved;

    @Override
    public Integer call() throws Exception {
        Map<String, Double> usual = TunedConstants.usual();
        List<BarGroup> chosen;
        BarRun run;
        try {
            for (String constant : constants) {
                Preconditions.check(
                        usual.containsKey(constant),
                        "--constants",
                        constant,
                        "one of " + String.join(", ", usual.keySet()));
            }
            Preconditions.check(moved >= 0, "--moved", moved, "a number of 0 or more");
            chosen = bar.chosen("").stream()
                    .map(group -> quick ? group.thinned(QUICK) : group)
                    .toList();
            run = bar.run(List.of(BarReport.OURS), runs);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        if (!constants.isEmpty()) {
            usual.keySet().retainAll(constants);
        }
        try (Writer out = Output.open()) {
            write(run, chosen, usual, out);
        }
        return 0;
    }

    /** One constant after the other, as the property that changes it is seen by all throttles that are made. */
    private void write(BarRun run, List<BarGroup> chosen, Map<String, Double> usual, Writer out)
            throws IOException, InterruptedException {
        int settings = 1;
        for (Map.Entry<String, Double> each : usual.entrySet()) {
            settings +=
                    TunedConstants.alternatives(each.getKey(), each.getValue()).size();
        }
        Progress progress = new Progress(settings * run.size(chosen));
        Map<String, double[]> before = means(run, chosen, progress);
        out.write("| constant | usual | set to | what moves |\n|---|--:|--:|---|\n");
        for (Map.Entry<String, Double> each : usual.entrySet()) {
            String name = each.getKey();
            for (double value : TunedConstants.alternatives(name, each.getValue())) {
                Map<String, double[]> after = new LinkedHashMap<>();
                String failure = changed(run, chosen, name, value, after, progress);
                out.write("| `" + name + "` | " + number(each.getValue()) + " | " + number(value) + " | "
                        + (failure.isEmpty() ? moves(chosen, before, after) : failure) + " |\n");
                out.flush();
            }
        }
        progress.end();
    }

    /** {@return why there are no figures; empty if there are} A constant that makes no sense may fail. */
    private static String changed(
            BarRun run,
            List<BarGroup> chosen,
            String name,
            double value,
            Map<String, double[]> after,
            Progress progress)
            throws IOException, InterruptedException {
        String property = System.getProperty(TunedConstants.PROPERTY, "");
        System.setProperty(TunedConstants.PROPERTY, name + "=" + value);
        try {
            after.putAll(means(run, chosen, progress));
            return "";
        } catch (IllegalStateException e) {
            return "does not work: " + e.getCause();
        } finally {
            System.setProperty(TunedConstants.PROPERTY, property);
        }
    }

    private static Map<String, double[]> means(BarRun run, List<BarGroup> chosen, Progress progress)
            throws IOException, InterruptedException {
        Map<String, double[]> means = new LinkedHashMap<>();
        run.run(
                chosen,
                progress,
                (group, results) ->
                        means.put(group.name(), new BarReport(group, run.strategies(), results, 0).means(0)));
        return means;
    }

    private String moves(List<BarGroup> chosen, Map<String, double[]> before, Map<String, double[]> after) {
        List<String> moves = new ArrayList<>();
        for (BarGroup group : chosen) {
            double[] old = Objects.requireNonNull(before.get(group.name()));
            double[] now = Objects.requireNonNull(after.get(group.name()));
            for (int i = 0; i < old.length; i++) {
                Criterion criterion = group.criteria().get(i);
                double scale = Math.max(Math.abs(old[i]), criterion.least());
                if (Math.abs(now[i] - old[i]) > moved / 100 * scale) {
                    boolean better = criterion.atLeast() == now[i] > old[i];
                    moves.add(group.name() + " " + criterion.figure().text() + " " + number(old[i]) + " → "
                            + (better ? "*" + number(now[i]) + "*" : number(now[i]))
                            + (criterion.isMet(now[i], criterion.mean()) ? "" : " ✗"));
                }
            }
        }
        return moves.isEmpty() ? "nothing" : String.join("; ", moves);
    }

    private static String number(double value) {
        return Numbers.significant(new java.math.BigDecimal(value)
                .round(new java.math.MathContext(4))
                .doubleValue());
    }
}
