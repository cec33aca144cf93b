package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.lab.dryrun.DryRunCase;
import dev.throttle.lab.dryrun.DryRunTable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a throttle predicts that only observes, and what happens when it enforces. */
@Tag("slow")
class DryRunTest {

    /** What came of the first seed, by scenario: two tests look at it, and it takes seconds. */
    private static final Map<String, DryRunCase.Result> FIRST = new HashMap<>();

    private static DryRunCase.Result run(String scenario, long seed) {
        return seed == 1
                ? FIRST.computeIfAbsent(
                        scenario, each -> DryRunCommand.of(each, seed).run())
                : DryRunCommand.of(scenario, seed).run();
    }

    static Stream<String> scenarios() throws IOException {
        return DryRunCommand.scenarios().stream().filter(scenario -> !scenario.startsWith(DryRunCommand.CHANCE));
    }

    @Test
    void thereAreTenScenarios() throws IOException {
        assertThat(scenarios()).hasSizeGreaterThanOrEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void theReportPredictsALaterRun(String scenario) {
        DryRunCase.Result result = run(scenario, 1);
        String table = DryRunTable.markdown(List.of(new DryRunTable.Row(scenario, result)));
        assertThat(result.report().isComplete()).isTrue();
        assertThat(result.report().replayedRefused()).as(table).isPositive();
        assertThat(result.avoidedError()).as("avoided: " + table).isLessThanOrEqualTo(0.1);
        assertThat(result.p50Error()).as("median: " + table).isLessThanOrEqualTo(0.2);
    }

    /** A few bursts decide the 99th percentile of half an hour, so it is that of three. */
    @ParameterizedTest
    @MethodSource("scenarios")
    void theReportPredictsTheLongestWaits(String scenario) {
        double predicted = 0;
        double real = 0;
        for (int seed = 1; seed <= 3; seed++) {
            DryRunCase.Result result = run(scenario, seed);
            predicted += result.report().waitP99().toNanos() / 1e9;
            real += result.waitP99();
        }
        assertThat(predicted).isCloseTo(real, within(Math.max(0.15, 0.2 * real)));
    }
}
