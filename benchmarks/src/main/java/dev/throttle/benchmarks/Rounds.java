package dev.throttle.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs JMH benchmarks in rounds, each benchmark in one fresh JVM per round. What is compared was measured seconds
 * apart, and a ratio is the median of the ratios of the rounds, so that a machine that is slower for a minute does not
 * make one of two slower than the other.
 */
final class Rounds {

    private static final String BYTES = "gc.alloc.rate.norm";

    private final Map<String, List<Double>> nanos = new LinkedHashMap<>();
    private final Map<String, Double> bytes = new LinkedHashMap<>();

    private Rounds() {}

    /**
     * Runs benchmarks.
     *
     * @param benchmarks the classes, whose benchmarks run in the order of the alphabet
     */
    static Rounds run(Scale scale, int threads, Class<?>... benchmarks) throws RunnerException {
        Rounds rounds = new Rounds();
        for (int round = 0; round < scale.rounds; round++) {
            rounds.add(new Runner(options(scale, threads, benchmarks)).run());
        }
        return rounds;
    }

    private static Options options(Scale scale, int threads, Class<?>... benchmarks) {
        OptionsBuilder options = new OptionsBuilder();
        for (Class<?> benchmark : benchmarks) {
            options.include("\\." + benchmark.getSimpleName() + "\\.");
        }
        options.mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .threads(threads)
                .forks(1)
                .warmupIterations(scale.warmups)
                .warmupTime(TimeValue.milliseconds(scale.iterationMillis))
                .measurementIterations(scale.measurements)
                .measurementTime(TimeValue.milliseconds(scale.iterationMillis))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        return options.build();
    }

    private void add(Collection<RunResult> results) {
        for (RunResult result : results) {
            String name = name(result);
            double median = result.getPrimaryResult().getStatistics().getPercentile(50);
            nanos.computeIfAbsent(name, n -> new ArrayList<>()).add(median);
            Result<?> allocated = result.getSecondaryResults().get(BYTES);
            if (allocated != null) {
                bytes.merge(name, allocated.getScore(), Math::min);
            }
        }
    }

    /** The class and method, and the parameters if there are any: {@code Reading.read 3}. */
    private static String name(RunResult result) {
        String full = result.getParams().getBenchmark();
        int method = full.lastIndexOf('.');
        StringBuilder name = new StringBuilder(full.substring(full.lastIndexOf('.', method - 1) + 1));
        for (String key : result.getParams().getParamsKeys()) {
            name.append(' ').append(result.getParams().getParam(key));
        }
        return name.toString();
    }

    /** {@return the median time of an operation in nanoseconds} */
    double nanos(String benchmark) {
        return new Stats(samples(benchmark)).median();
    }

    /** {@return bytes allocated by an operation} */
    String bytes(String benchmark) {
        Double value = bytes.get(benchmark);
        return value == null ? "?" : Table.number(Math.abs(value), 0);
    }

    /** {@return the time of one benchmark divided by that of another: the median over the rounds, and their range} */
    String ratio(String benchmark, String floor) {
        Stats ratios = ratios(benchmark, floor);
        String median = Table.number(ratios.median(), 2);
        return ratios.min() == ratios.max()
                ? median
                : median + " (" + Table.number(ratios.min(), 2) + " to " + Table.number(ratios.max(), 2) + ")";
    }

    private Stats ratios(String benchmark, String floor) {
        List<Double> above = samples(benchmark);
        List<Double> below = samples(floor);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < above.size(); i++) {
            ratios.add(above.get(i) / below.get(i));
        }
        return new Stats(ratios);
    }

    private List<Double> samples(String benchmark) {
        List<Double> samples = nanos.get(benchmark);
        if (samples == null) {
            throw new IllegalArgumentException("no benchmark " + benchmark + " among " + nanos.keySet());
        }
        return samples;
    }
}
