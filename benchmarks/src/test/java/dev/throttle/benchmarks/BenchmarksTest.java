package dev.throttle.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every JMH benchmark runs, once. How long it takes is not judged here. */
@Tag("slow")
class BenchmarksTest {

    @Test
    void everyBenchmarkRuns() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .mode(Mode.SingleShotTime)
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(1))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();

        Set<String> classes = new TreeSet<>();
        for (RunResult result : results) {
            assertThat(result.getPrimaryResult().getStatistics().getN()).isEqualTo(1);
            String name = result.getParams().getBenchmark();
            classes.add(name.substring(0, name.lastIndexOf('.')).replaceAll(".*\\.", ""));
        }
        assertThat(classes)
                .containsExactly(
                        "Adapters", "Admission", "Floor", "Leased", "Lookup", "Peers", "Reading", "Signals", "Updates");
        assertThat(results).hasSize(43);
    }
}
