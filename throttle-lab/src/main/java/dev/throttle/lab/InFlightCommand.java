package dev.throttle.lab;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import dev.throttle.concurrencylimits.AdaptiveInFlightLimit;
import dev.throttle.lab.InFlightSimulation.Result;
import java.io.IOException;
import java.io.Writer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Limits of requests in flight, fixed ones and those that learn, on a server whose latency rises with the load. */
@Command(
        name = "in-flight",
        mixinStandardHelpOptions = true,
        description = "Limits of requests in flight, fixed and adaptive, on a server whose latency rises with load.")
@SuppressWarnings("NullAway.Init") // set by picocli
final class InFlightCommand implements Callable<Integer> {

    static final String WINDOWED_VEGAS = "VegasLimit, windows of 1 s";
    static final String WINDOWED_AIMD = "AIMDLimit, time-out 150 ms, windows of 1 s";

    /** The adaptive limits that are compared. */
    static final Map<String, Supplier<Limit>> ALGORITHMS = algorithms();

    /** A fixed limit that loses less than this of the highest throughput is as good as any. */
    private static final double AS_GOOD = 0.99;

    private static final int[] PERCENT_OF_WORKERS = {25, 50, 75, 90, 100, 110, 125, 150, 200, 300};

    @Option(names = "--workers", paramLabel = "N", defaultValue = "50", description = "Default: ${DEFAULT-VALUE}")
    private int workers;

    @Option(
            names = "--service",
            paramLabel = "TIME",
            defaultValue = "100ms",
            description = "The mean time of work on a request, more or less by a half; default: ${DEFAULT-VALUE}")
    private Duration service;

    @Option(
            names = "--network",
            paramLabel = "TIME",
            defaultValue = "20ms",
            description = "Both ways together; default: ${DEFAULT-VALUE}")
    private Duration network;

    @Option(names = "--callers", paramLabel = "N", defaultValue = "200", description = "Default: ${DEFAULT-VALUE}")
    private int callers;

    @Option(names = "--duration", paramLabel = "TIME", defaultValue = "4m", description = "Default: ${DEFAULT-VALUE}")
    private Duration duration;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}")
    private long seed;

    private static Map<String, Supplier<Limit>> algorithms() {
        Map<String, Supplier<Limit>> all = new LinkedHashMap<>();
        all.put(WINDOWED_VEGAS, () -> window(VegasLimit.newDefault()));
        all.put(WINDOWED_AIMD, () -> window(aimd(150)));
        all.put("Gradient2Limit, windows of 1 s", () -> window(Gradient2Limit.newDefault()));
        all.put("VegasLimit", VegasLimit::newDefault);
        all.put("AIMDLimit, time-out 200 ms", () -> aimd(200));
        all.put("Gradient2Limit", Gradient2Limit::newDefault);
        return all;
    }

    private static Limit aimd(long timeoutMillis) {
        return AIMDLimit.newBuilder()
                .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
                .build();
    }

    private static Limit window(Limit limit) {
        return WindowedLimit.newBuilder().build(limit);
    }

    @Override
    public Integer call() throws IOException {
        InFlightSimulation simulation = new InFlightSimulation(workers, service, network, callers, duration, seed);
        NavigableMap<Integer, Result> fixed = fixed(simulation);
        int best = best(fixed);
        Result bestResult = Objects.requireNonNull(fixed.get(best));
        try (Writer out = Output.open()) {
            out.write("| limit | mean limit | answers/s | of best | p50 ms | p99 ms | of best |\n");
            out.write("|---|---:|---:|---:|---:|---:|---:|\n");
            for (Map.Entry<Integer, Result> row : fixed.entrySet()) {
                String name = "fixed " + row.getKey() + (row.getKey() == best ? ", best" : "");
                out.write(row(name, row.getValue(), bestResult));
            }
            for (Map.Entry<String, Supplier<Limit>> algorithm : ALGORITHMS.entrySet()) {
                Result result = simulation.with(AdaptiveInFlightLimit.of(algorithm.getValue()));
                out.write(row(algorithm.getKey(), result, bestResult));
            }
        }
        return 0;
    }

    /** {@return what fixed limits around the number of workers do, by limit} */
    static NavigableMap<Integer, Result> fixed(InFlightSimulation simulation) {
        NavigableMap<Integer, Result> fixed = new TreeMap<>();
        for (int percent : PERCENT_OF_WORKERS) {
            int limit = Math.max(1, simulation.workers() * percent / 100);
            fixed.computeIfAbsent(limit, simulation::withFixed);
        }
        return fixed;
    }

    /** {@return the smallest limit that loses next to nothing of the highest throughput} */
    static int best(NavigableMap<Integer, Result> fixed) {
        double highest =
                fixed.values().stream().mapToDouble(Result::perSecond).max().orElseThrow();
        return fixed.entrySet().stream()
                .filter(row -> row.getValue().perSecond() >= highest * AS_GOOD)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private static String row(String name, Result result, Result best) {
        return String.format(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.0f %% | %.0f | %.0f | %.2f |%n",
                name,
                result.meanLimit(),
                result.perSecond(),
                100 * result.perSecond() / best.perSecond(),
                result.p50Nanos() / 1e6,
                result.p99Nanos() / 1e6,
                (double) result.p99Nanos() / best.p99Nanos());
    }
}
