package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.bar.BarGroup;
import dev.throttle.lab.bar.BarResult;
import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.Comparison;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Runs groups of scenarios, several at a time, which changes no figure.
 *
 * @param strategies names of strategies or peers
 * @param runs how often each scenario is run
 * @param seed the source of all randomness
 * @param parallel how many scenarios run at a time
 */
record BarRun(List<String> strategies, int runs, long seed, int parallel) {

    private static final int MOST_RUNS = 10_000;
    private static final int MOST_THREADS = 1024;

    /** Called with each group that is done. */
    interface Visitor {
        void visit(BarGroup group, List<List<BarResult>> results) throws IOException;
    }

    BarRun {
        strategies = List.copyOf(strategies);
        Preconditions.between("--runs", runs, 1, MOST_RUNS);
        Preconditions.between("--parallel", parallel, 1, MOST_THREADS);
        for (String strategy : strategies) {
            client(strategy);
        }
    }

    /** {@return the groups with these names, or all, with the scenarios that contain a text} */
    static List<BarGroup> chosen(List<String> groups, String filter) throws IOException {
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

    long size(List<BarGroup> groups) {
        return strategies.size()
                * groups.stream().mapToLong(group -> group.scenarios().size()).sum();
    }

    /** All scenarios are begun before the first is awaited; groups are told in their order, whichever ends first. */
    void run(List<BarGroup> groups, Progress progress, Visitor visitor) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(parallel);
        try {
            List<List<List<Future<BarResult>>>> begun = new ArrayList<>();
            for (BarGroup group : groups) {
                begun.add(strategies.stream()
                        .map(strategy -> begin(group, strategy, threads, progress))
                        .toList());
            }
            for (int i = 0; i < groups.size(); i++) {
                List<List<BarResult>> results = new ArrayList<>();
                for (List<Future<BarResult>> ofStrategy : begun.get(i)) {
                    List<BarResult> each = new ArrayList<>();
                    for (Future<BarResult> result : ofStrategy) {
                        each.add(await(result));
                    }
                    results.add(each);
                }
                visitor.visit(groups.get(i), results);
            }
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
