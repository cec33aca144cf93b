package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarReport;
import dev.throttle.lab.bar.BarResult;
import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.Comparison;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
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

    private static final int MOST_RUNS = 10_000;
    private static final int MOST_THREADS = 1024;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--strategies",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "quota-pacing",
            description = "As in compare; default: ${DEFAULT-VALUE}")
    private List<String> strategies;

    @Option(
            names = "--group",
            split = ",",
            paramLabel = "NAME",
            description = "Groups of scenarios, separated by commas; default: all")
    private List<String> groups = new ArrayList<>();

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

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--details",
            paramLabel = "N",
            defaultValue = "0",
            description = "Shows this many of the worst scenarios of each figure too; default: ${DEFAULT-VALUE}")
    private int details;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            description =
                    "How many scenarios run at a time, which changes no figure; default: the number of processors")
    private int parallel = Runtime.getRuntime().availableProcessors();

    @Override
    public Integer call() throws Exception {
        List<BarGroup> chosen;
        try {
            Preconditions.between("--runs", runs, 1, MOST_RUNS);
            Preconditions.between("--parallel", parallel, 1, MOST_THREADS);
            Preconditions.check(details >= 0, "--details", details, "a whole number of 0 or more");
            chosen = chosen();
            for (String strategy : strategies) {
                client(strategy);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        try (Writer out = Output.open()) {
            run(chosen, out);
        }
        return 0;
    }

    private List<BarGroup> chosen() throws IOException {
        List<BarGroup> all = BarGroup.all();
        List<String> names = all.stream().map(BarGroup::name).toList();
        for (String group : groups) {
            Preconditions.check(names.contains(group), "--group", group, "one of " + String.join(", ", names));
        }
        List<BarGroup> chosen = all.stream()
                .filter(group -> groups.isEmpty() || groups.contains(group.name()))
                .map(group -> group.filtered(filter))
                .filter(group -> !group.scenarios().isEmpty())
                .toList();
        Preconditions.check(!chosen.isEmpty(), "--filter", filter, "a text in the arguments of some scenario");
        return chosen;
    }

    private static Client.Factory client(String name) {
        try {
            return Contestant.client(name, "0s");
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--strategies: " + e.getMessage(), e);
        }
    }

    private void run(List<BarGroup> chosen, Writer out) throws IOException, InterruptedException {
        long scenarios =
                chosen.stream().mapToLong(group -> group.scenarios().size()).sum();
        Progress progress = new Progress(scenarios * strategies.size());
        ExecutorService threads = Executors.newFixedThreadPool(parallel);
        try {
            // All are begun before the first is awaited; the report is written in their order, whichever ends first.
            List<List<List<Future<BarResult>>>> begun = new ArrayList<>();
            for (BarGroup group : chosen) {
                begun.add(strategies.stream()
                        .map(strategy -> begin(group, strategy, threads, progress))
                        .toList());
            }
            for (int i = 0; i < chosen.size(); i++) {
                List<List<BarResult>> results = new ArrayList<>();
                for (List<Future<BarResult>> ofStrategy : begun.get(i)) {
                    List<BarResult> each = new ArrayList<>();
                    for (Future<BarResult> result : ofStrategy) {
                        each.add(await(result));
                    }
                    results.add(each);
                }
                new BarReport(chosen.get(i), strategies, results, details).write(out);
                out.flush();
            }
            progress.end();
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Future<BarResult>> begin(BarGroup group, String strategy, ExecutorService threads, Progress progress) {
        List<Future<BarResult>> begun = new ArrayList<>();
        for (String scenario : group.scenarios()) {
            begun.add(threads.submit(() -> {
                BarResult result =
                        BarResult.of(scenario, comparison(scenario, strategy), client(strategy), group.criteria());
                synchronized (progress) {
                    progress.step();
                }
                return result;
            }));
        }
        return begun;
    }

    private Comparison comparison(String scenario, String strategy) {
        String[] arguments = Stream.of(
                        Stream.of("compare", "--strategies", strategy, "--runs", "" + runs, "--seed", "" + seed),
                        Stream.of(scenario.replace("SELF", strategy).split(" +")))
                .flatMap(part -> part)
                .toArray(String[]::new);
        CompareCommand compare = (CompareCommand) Main.commandLine()
                .parseArgs(arguments)
                .subcommand()
                .commandSpec()
                .userObject();
        return compare.comparison();
    }

    private static BarResult await(Future<BarResult> result) throws InterruptedException {
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
