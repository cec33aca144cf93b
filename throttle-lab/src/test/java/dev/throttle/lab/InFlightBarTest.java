package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.AIMDLimit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import dev.throttle.concurrencylimits.AdaptiveInFlightLimit;
import dev.throttle.lab.InFlightSimulation.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of requests in flight that learn, beside the best fixed one, on virtual time. */
class InFlightBarTest {

    private static final String WINDOWED_VEGAS = "VegasLimit, windows of 1 s";
    private static final String WINDOWED_AIMD = "AIMDLimit, time-out 150 ms, windows of 1 s";

    private static final Map<String, Supplier<Limit>> ALGORITHMS = algorithms();

    /** A fixed limit that loses less than this of the highest throughput is as good as any. */
    private static final double AS_GOOD = 0.99;

    private static final int[] PERCENT_OF_WORKERS = {25, 50, 75, 90, 100, 110, 125, 150, 200, 300};

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

    private static InFlightSimulation simulation(int workers, int callers) {
        return new InFlightSimulation(
                workers, Duration.ofMillis(100), Duration.ofMillis(20), callers, Duration.ofMinutes(4), 1);
    }

    /** {@return what fixed limits around the number of workers do, by limit} */
    private static NavigableMap<Integer, Result> fixed(InFlightSimulation simulation) {
        NavigableMap<Integer, Result> fixed = new TreeMap<>();
        for (int percent : PERCENT_OF_WORKERS) {
            int limit = Math.max(1, simulation.workers() * percent / 100);
            fixed.computeIfAbsent(limit, simulation::withFixed);
        }
        return fixed;
    }

    /** {@return the smallest limit that loses next to nothing of the highest throughput} */
    private static int best(NavigableMap<Integer, Result> fixed) {
        double highest =
                fixed.values().stream().mapToDouble(Result::perSecond).max().orElseThrow();
        return fixed.entrySet().stream()
                .filter(row -> row.getValue().perSecond() >= highest * AS_GOOD)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private static Result adaptive(InFlightSimulation simulation, String algorithm) {
        return simulation.with(AdaptiveInFlightLimit.of(Objects.requireNonNull(ALGORITHMS.get(algorithm))));
    }

    @ParameterizedTest
    @CsvSource({"20, 100", "50, 200"})
    void aLimitThatLearnsIsNearlyAsGoodAsTheBestFixedOne(int workers, int callers) {
        InFlightSimulation simulation = simulation(workers, callers);
        NavigableMap<Integer, Result> fixed = fixed(simulation);
        int bestLimit = best(fixed);
        Result best = Objects.requireNonNull(fixed.get(bestLimit));
        assertThat(bestLimit).isBetween(workers, workers * 2); // network included, 1.2 times the workers are busy
        for (String name : new String[] {WINDOWED_VEGAS, WINDOWED_AIMD}) {
            Result adaptive = adaptive(simulation, name);
            assertThat(adaptive.perSecond()).as(name).isGreaterThanOrEqualTo(0.9 * best.perSecond());
            assertThat((double) adaptive.p99Nanos()).as(name).isLessThanOrEqualTo(1.5 * best.p99Nanos());
        }
    }

    @ParameterizedTest
    @CsvSource({"5, 50", "10, 100"})
    void aFixedLimitBelowTheWorkersIsTheThroughputByLittlesLaw(int limit, int perSecond) {
        InFlightSimulation simulation =
                new InFlightSimulation(20, Duration.ofMillis(80), Duration.ofMillis(20), 40, Duration.ofMinutes(1), 7);
        Result result = simulation.withFixed(limit);
        assertThat(result.perSecond()).isBetween(perSecond * 0.98, perSecond * 1.02);
        assertThat(result.meanLimit()).isEqualTo(limit);
        assertThat(result.p99Nanos()).isLessThanOrEqualTo(140_000_000);
    }

    @Test
    void theTableOfTheStrategiesIsWhatTheSimulationGives() throws Exception {
        InFlightSimulation simulation = simulation(50, 200);
        NavigableMap<Integer, Result> fixed = fixed(simulation);
        int bestLimit = best(fixed);
        Result best = Objects.requireNonNull(fixed.get(bestLimit));
        List<String> rows = new ArrayList<>();
        fixed.forEach((limit, result) ->
                rows.add(row("fixed " + limit + (limit == bestLimit ? ", best" : ""), result, best)));
        ALGORITHMS.keySet().forEach(name -> rows.add(row(name, adaptive(simulation, name), best)));
        List<String> page = Files.readAllLines(Path.of("..", "docs", "strategies.md"));
        int table = page.indexOf("| limit | mean limit | answers/s | of best | p50 ms | p99 ms | of best |");
        List<String> shown = page.stream()
                .skip(table + 2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
        assertThat(rows).containsSubsequence(shown);
        assertThat(shown).hasSize(6 + ALGORITHMS.size());
    }

    private static String row(String name, Result result, Result best) {
        return String.format(
                Locale.ROOT,
                "| %s | %.0f | %.0f | %.0f %% | %.0f | %.0f | %.2f |",
                name,
                result.meanLimit(),
                result.perSecond(),
                100 * result.perSecond() / best.perSecond(),
                result.p50Nanos() / 1e6,
                result.p99Nanos() / 1e6,
                (double) result.p99Nanos() / best.p99Nanos());
    }
}
