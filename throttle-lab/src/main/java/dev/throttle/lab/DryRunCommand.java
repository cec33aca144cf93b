package dev.throttle.lab;

import dev.throttle.lab.dryrun.DryRunCase;
import dev.throttle.lab.dryrun.DryRunTable;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reports of throttles that only observe, beside what then happens when they enforce. */
@Command(
        name = "dry-run",
        mixinStandardHelpOptions = true,
        description = "How well does the report of a throttle that only observes predict what happens when it"
                + " enforces? Runs each scenario twice with the same arrivals, and writes both as a table of Markdown.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class DryRunCommand implements Callable<Integer> {

    private static final String REPEATS = "repeats ";
    static final String CHANCE = "chance ";

    @Spec
    private CommandSpec command;

    @Option(
            names = "--filter",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "Only scenarios whose arguments contain this text")
    private String filter;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}")
    private long seed;

    @Override
    public Integer call() throws IOException {
        List<String> chosen = scenarios().stream()
                .filter(scenario -> scenario.contains(filter))
                .toList();
        if (chosen.isEmpty()) {
            throw new ParameterException(
                    command.commandLine(),
                    "--filter must be a text in the arguments of some scenario, but was " + filter);
        }
        Progress progress = new Progress(chosen.size());
        List<DryRunTable.Row> rows = new ArrayList<>();
        for (String scenario : chosen) {
            rows.add(new DryRunTable.Row(scenario, of(scenario, seed).run()));
            progress.step();
        }
        progress.end();
        try (Writer out = Output.open()) {
            out.write(DryRunTable.markdown(rows));
        }
        return 0;
    }

    static List<String> scenarios() throws IOException {
        try (InputStream in = Objects.requireNonNull(DryRunCase.class.getResourceAsStream("scenarios.txt"));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            return lines.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }

    static DryRunCase of(String scenario, long seed) {
        boolean repeats = scenario.startsWith(REPEATS);
        String arguments = scenario.substring(scenario.indexOf("--"));
        CompareCommand compare = (CompareCommand) Main.commandLine()
                .parseArgs(Stream.concat(
                                Stream.of("compare", "--strategies", "quota-pacing", "--processes", "1"),
                                Stream.of(arguments.split(" +")))
                        .toArray(String[]::new))
                .subcommand()
                .commandSpec()
                .userObject();
        return new DryRunCase(compare.comparison().scenario(), repeats, seed);
    }
}
