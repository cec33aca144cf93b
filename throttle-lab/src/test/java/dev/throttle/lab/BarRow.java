package dev.throttle.lab;

import dev.throttle.lab.sim.Change;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.LongList;
import dev.throttle.lab.sim.RunRecord;
import dev.throttle.lab.sim.Simulation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * A scenario in which {@code quota-pacing} is held against the published strategies.
 *
 * @param line the group of scenarios it belongs to
 * @param arguments those of {@code compare}, without strategies and runs
 */
record BarRow(String line, String arguments) {

    private static final String OURS = "quota-pacing";
    private static final List<String> PUBLISHED = List.of(
            "exponential-backoff",
            "exponential-increase-gradual-decrease",
            "exponential-increase-proportional-decrease",
            "exponential-increase-proportional-remaining-decrease");
    private static final int RUNS = 10;

    static final String HEADING = """
            | scenario | retry % | longest s | stdev | used % | settle s | refusals per process | clear s | best: retry % | longest s | stdev | used % | not met |
            |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
            """;

    static BarRow of(String text) {
        String[] parts = text.split(" *\\| *", 2);
        return new BarRow(parts[0], parts[1]);
    }

    /** What one strategy did: means over the runs. */
    private record Outcome(Figures figures, @Nullable Double joinRefusals) {}

    private Outcome outcome(String strategy) {
        CommandLine.ParseResult parsed =
                Main.commandLine().parseArgs(("compare --strategies " + strategy + " " + arguments).split(" +"));
        CompareCommand command =
                (CompareCommand) parsed.subcommand().commandSpec().userObject();
        Comparison comparison = command.comparison();
        List<Change> changes = comparison.scenario().changes();
        SplittableRandom seeds = new SplittableRandom(comparison.seed());
        List<Figures> figures = new ArrayList<>();
        double refusals = 0;
        for (int i = 0; i < RUNS; i++) {
            RunRecord run = Simulation.run(
                    comparison.scenario(),
                    Contestant.named(strategy, "0s").strategy(),
                    seeds.nextLong(),
                    !changes.isEmpty());
            figures.add(Figures.of(run));
            refusals += changes.isEmpty() ? 0 : refusalsPerProcess(run, changes);
        }
        return new Outcome(Figures.mean(figures), changes.isEmpty() ? null : refusals / RUNS);
    }

    /** From the first change to the next one, by the processes present then. */
    private static double refusalsPerProcess(RunRecord run, List<Change> changes) {
        long from = changes.get(0).at().toNanos();
        long to = changes.size() > 1 ? changes.get(1).at().toNanos() : run.endedAt();
        LongList refusedAt = run.refusedAt();
        int count = 0;
        for (int i = 0; i < refusedAt.size(); i++) {
            count += refusedAt.get(i) >= from && refusedAt.get(i) < to ? 1 : 0;
        }
        return count / (double) run.processes().size();
    }

    Figures ours() {
        return outcome(OURS).figures();
    }

    /** {@return the cells of the strategy itself, with which a build can be compared} */
    String ownCells() {
        return cells(outcome(OURS));
    }

    private String cells(Outcome outcome) {
        Figures ours = outcome.figures();
        return "| `" + arguments + "` | " + four(ours) + " | " + cell("%.0f", ours.settleSeconds()) + " | "
                + cell("%.2f", outcome.joinRefusals()) + " | " + cell("%.2f", ours.elapsedSeconds()) + " |";
    }

    /** {@return the whole row} */
    String text() {
        Outcome outcome = outcome(OURS);
        List<Figures> others =
                PUBLISHED.stream().map(name -> outcome(name).figures()).toList();
        Figures ours = outcome.figures();
        double retry = least(others, Figures::retryRate);
        double longest = least(others, Figures::maxSleepSeconds);
        double spread = least(others, Figures::requestCountStdev);
        double used = others.stream()
                .map(Figures::utilisation)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        List<String> missed = new ArrayList<>();
        if (ours.retryRate() > retry + 0.0001) {
            missed.add("retry");
        }
        if (ours.maxSleepSeconds() > longest * 1.05 + 0.01) {
            missed.add("longest");
        }
        if (ours.requestCountStdev() > Math.max(1, spread) && outcome.joinRefusals() == null) {
            missed.add("spread");
        }
        if (ours.utilisation() < used * 0.95) {
            missed.add("used");
        }
        if (outcome.joinRefusals() != null && outcome.joinRefusals() > 1) {
            missed.add("refusals");
        }
        return cells(outcome)
                + String.format(
                        Locale.ROOT,
                        " %.2f | %.2f | %.1f | %.1f | %s |",
                        100 * retry,
                        longest,
                        spread,
                        100 * used,
                        String.join(", ", missed));
    }

    private static String four(Figures figures) {
        return String.format(
                Locale.ROOT,
                "%.2f | %.2f | %.1f | %.1f",
                100 * figures.retryRate(),
                figures.maxSleepSeconds(),
                figures.requestCountStdev(),
                100 * figures.utilisation());
    }

    private static String cell(String format, @Nullable Double value) {
        return value == null ? "" : String.format(Locale.ROOT, format, value);
    }

    private static double least(List<Figures> all, ToDoubleFunction<Figures> figure) {
        return all.stream().mapToDouble(figure).min().orElseThrow();
    }
}
