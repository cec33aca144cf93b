package dev.throttle.lab;

import dev.throttle.internal.Preconditions;
import dev.throttle.lab.sim.CostChange;
import dev.throttle.lab.sim.Costs;
import dev.throttle.lab.sim.LogNormal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say what calls cost and what clients know of it. */
@SuppressWarnings("NullAway.Init") // set by picocli
final class CostOptions {

    /** What a call costs on a server that counts costs, unless told otherwise. */
    private static final LogNormal USUAL = new LogNormal(1000, 0);

    @Option(
            names = "--cost",
            paramLabel = "MEAN[:SIGMA]",
            description = "What each call costs, log-normal, such as 4000:0.8; default: 1000 if the server is llm,"
                    + " otherwise nothing but a request")
    private @Nullable LogNormal cost;

    @Option(
            names = "--output-cost",
            paramLabel = "MEAN[:SIGMA]",
            description = "Output tokens of each call, for a server with --output-capacity; --cost is the input then")
    private @Nullable LogNormal outputCost;

    @Option(
            names = "--estimate",
            paramLabel = "FACTOR",
            description = "How many times the truth the throttle is told before each call; default: it is told nothing")
    private @Nullable Double estimate;

    @Option(
            names = "--cost-change",
            paramLabel = "CALL:xFACTOR",
            description = "From which call of each process on costs are how many times the first ones, such as"
                    + " 100:x0.1; may be repeated")
    private List<CostChange> changes = new ArrayList<>();

    @Option(
            names = "--stream",
            paramLabel = "DURATION",
            defaultValue = "0s",
            description = "The time from the head of an accepted answer to its end; default: ${DEFAULT-VALUE}")
    private Duration stream;

    @Option(
            names = "--settle",
            paramLabel = "on|off",
            defaultValue = "on",
            description = "Whether the throttle is told the truth when an answer ends; default: ${DEFAULT-VALUE}")
    private OnOff settle;

    /** {@return what calls cost on a server; null for nothing but a request} */
    @Nullable Costs costs(boolean serverCounts, String unit) {
        LogNormal first = cost == null && serverCounts ? USUAL : cost;
        if (first == null) {
            String takes = "nothing without --cost";
            Preconditions.check(outputCost == null, "--output-cost", "", takes);
            Preconditions.check(estimate == null, "--estimate", String.valueOf(estimate), takes);
            Preconditions.check(changes.isEmpty(), "--cost-change", changes.size(), takes);
            Preconditions.check(stream.isZero(), "--stream", stream, takes);
            return null;
        }
        return new Costs(first, outputCost, unit, estimate, changes, stream, settle.isOn());
    }
}
