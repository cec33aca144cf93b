package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarReport;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Strategies on the scenarios that the default strategy is held to. */
@Command(
        name = "bar",
        mixinStandardHelpOptions = true,
        description = "Strategies on the scenarios that the default strategy is held to: the mean over each group of"
                + " scenarios and the worst one.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class BarCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Option(
            names = "--strategies",
            split = ",",
            paramLabel = "NAME",
            description = "As in compare; default: quota-pacing")
    private List<String> strategies = new ArrayList<>();

    @Mixin
    private BarOptions bar;

    @Option(
            names = "--filter",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "Only scenarios whose arguments contain this text")
    private String filter;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "10",
            description = "Runs of each scenario; default: ${DEFAULT-VALUE}")
    private int runs;

    @Option(
            names = "--details",
            paramLabel = "N",
            defaultValue = "0",
            description = "Shows this many of the worst scenarios of each figure too; default: ${DEFAULT-VALUE}")
    private int details;

    @Option(
            names = "--report",
            paramLabel = "FILE.md",
            description =
                    "Writes the tables to a file instead, with the default strategy, the best published one and the"
                            + " peers beside each other, unless --strategies says otherwise")
    private @Nullable Path report;

    @Override
    public Integer call() throws Exception {
        List<BarGroup> chosen;
        BarRun run;
        try {
            Preconditions.check(details >= 0, "--details", details, "a whole number of 0 or more");
            chosen = bar.chosen(filter);
            run = bar.run(strategies(), runs);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        Path file = report;
        try (Writer out = Output.open()) {
            if (file == null) {
                write(run, chosen, out);
            } else {
                StringWriter text = new StringWriter();
                text.write(BarReport.heading(run.runs(), run.seed()));
                write(run, chosen, text);
                Files.writeString(file, text.toString());
            }
        }
        return 0;
    }

    private List<String> strategies() {
        if (!strategies.isEmpty()) {
            return strategies;
        }
        return report == null ? List.of(BarReport.OURS) : BarReport.ALL;
    }

    private void write(BarRun run, List<BarGroup> chosen, Writer out) throws IOException, InterruptedException {
        Progress progress = new Progress(run.size(chosen));
        run.run(chosen, progress, (group, results) -> {
            new BarReport(group, run.strategies(), results, details).write(out);
            out.flush();
        });
        progress.end();
    }
}
