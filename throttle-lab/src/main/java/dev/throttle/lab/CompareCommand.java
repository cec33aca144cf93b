package dev.throttle.lab;

import dev.throttle.internal.DurationText;
import dev.throttle.lab.chart.ComparisonChart;
import dev.throttle.lab.fleet.StoreSpec;
import dev.throttle.lab.page.ComparisonPage;
import dev.throttle.lab.sim.Change;
import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.Foreign;
import dev.throttle.lab.sim.Scenario;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Strategies side by side on a simulated server. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Strategies side by side on a simulated server, in virtual time.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class CompareCommand implements Callable<Integer> {

    private static final int MOST_RUNS = 10_000;

    @Spec
    private CommandSpec command;

    @Option(
            names = "--strategies",
            required = true,
            split = ",",
            paramLabel = "NAME",
            description = "Names of strategies or of peers, or classes on the class path that implement"
                    + " dev.throttle.control.Strategy, separated by commas")
    private List<String> strategies;

    @Mixin
    private ServerOptions server;

    @Option(names = "--processes", paramLabel = "N", description = "Default: 2, or as many as --calls has numbers")
    private @Nullable Integer processes;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "5",
            description = "Threads of each process, which share one throttle; default: ${DEFAULT-VALUE}")
    private int threads;

    @Mixin
    private DemandOptions demand;

    @Mixin
    private CostOptions costs;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            defaultValue = "30m",
            description = "Simulated time; default: ${DEFAULT-VALUE}")
    private Duration duration;

    @Option(
            names = "--latency",
            paramLabel = "DURATION",
            defaultValue = "165ms",
            description = "Mean time from request to answer, varied by a tenth; default: ${DEFAULT-VALUE}")
    private Duration latency;

    @Option(
            names = "--starting-sleep",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "Where the strategies begin that have a startingSleep; default: ${DEFAULT-VALUE}")
    private Duration startingSleep;

    @Option(
            names = "--stop-under",
            paramLabel = "N",
            description = "Ends the run when an answer says that no more than this is left")
    private @Nullable Long stopUnder;

    @Option(
            names = "--join",
            paramLabel = "WHEN:+N",
            converter = JoinReader.class,
            description = "Processes that come, such as 5m:+8; may be repeated")
    private List<Change> joins = new ArrayList<>();

    @Option(
            names = "--leave",
            paramLabel = "WHEN:-N",
            converter = LeaveReader.class,
            description = "Processes that go, those that came last, such as 20m:-8; may be repeated")
    private List<Change> leaves = new ArrayList<>();

    @Option(
            names = "--beside",
            paramLabel = "NAME[:PROCESSESxTHREADS]",
            description =
                    "Another program on the same server. It sends as much as is accepted, and is not in the figures,"
                            + " such as greedy-until-reset or backoff-retry-after:2x5; default: of one process with one thread")
    private @Nullable Beside beside;

    @Mixin
    private FleetOptions fleet;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs with different random numbers, of which the means are shown; default: ${DEFAULT-VALUE}")
    private int runs;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, markdown, csv or json; default: ${DEFAULT-VALUE}")
    private ReportFormat format;

    @Option(
            names = "--chart",
            paramLabel = "FILE.png",
            description = "Draws the first run: sleeps, remaining quota, refusals")
    private @Nullable Path chart;

    @Option(
            names = "--html",
            paramLabel = "FILE.html",
            description = "Writes a page with the figures and with charts to look into, of the first run")
    private @Nullable Path html;

    @Override
    public Integer call() throws IOException {
        try (Writer out = Output.open()) {
            compare(out);
        }
        return 0;
    }

    void compare(Writer out) throws IOException {
        List<Comparison.Result> results = results();
        format.write(results, out);
        if (chart != null) {
            ComparisonChart.save(results, chart);
        }
        if (html != null) {
            ComparisonPage.save(results, runs, html);
        }
    }

    List<Comparison.Result> results() {
        Comparison comparison;
        List<Entry> entries;
        try {
            comparison = comparison();
            entries = entries();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), String.valueOf(e.getMessage()), e);
        }
        Progress progress = new Progress((long) entries.size() * runs);
        List<Comparison.Result> results = new ArrayList<>();
        for (Entry entry : entries) {
            results.add(comparison.run(entry.name(), entry.client(), progress::step));
        }
        progress.end();
        return results;
    }

    Comparison comparison() {
        List<Change> changes = new ArrayList<>(joins);
        changes.addAll(leaves);
        dev.throttle.internal.Preconditions.between("--runs", runs, 1, MOST_RUNS);
        int atStart = demand.processes(processes);
        Scenario scenario = new Scenario(
                server.spec(latency, Math.max(1, atStart * threads)),
                atStart,
                threads,
                duration,
                latency,
                changes,
                stopUnder,
                demand.demand(server.burstOfArrivals()),
                demand.maxWait(),
                foreign(),
                costs.costs(server.countsCosts(), server.costUnit()),
                demand.retries());
        return new Comparison(scenario, runs, seed, chart != null || html != null);
    }

    private @Nullable Foreign foreign() {
        if (beside == null) {
            return null;
        }
        Beside other = beside;
        return new Foreign(client("--beside", other.strategy()), other.processes(), other.threads());
    }

    /** A row of the table. */
    private record Entry(String name, Client.Factory client) {}

    private List<Entry> entries() {
        StoreSpec store = fleet.store();
        List<Entry> entries = new ArrayList<>();
        for (String name : strategies) {
            entries.add(new Entry(name, client("--strategies", name)));
            Client.Factory sharing =
                    store == null ? null : Contestant.fleet(name, DurationText.format(startingSleep), store);
            if (sharing != null) {
                entries.add(new Entry(name + FleetOptions.SUFFIX, sharing));
            }
        }
        return entries;
    }

    private Client.Factory client(String option, String name) {
        try {
            return Contestant.client(name, DurationText.format(startingSleep));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + ": " + e.getMessage(), e);
        }
    }

    static final class JoinReader implements ITypeConverter<Change> {
        @Override
        public Change convert(String value) {
            return Arguments.join(value);
        }
    }

    static final class LeaveReader implements ITypeConverter<Change> {
        @Override
        public Change convert(String value) {
            return Arguments.leave(value);
        }
    }
}
