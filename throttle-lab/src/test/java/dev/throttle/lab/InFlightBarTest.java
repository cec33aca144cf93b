package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.concurrencylimits.AdaptiveInFlightLimit;
import dev.throttle.lab.InFlightSimulation.Result;
import java.time.Duration;
import java.util.NavigableMap;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Limits of requests in flight that learn, beside the best fixed one, on virtual time. */
@Tag("slow")
class InFlightBarTest {

    @ParameterizedTest
    @CsvSource({"20, 100", "50, 200"})
    void aLimitThatLearnsIsNearlyAsGoodAsTheBestFixedOne(int workers, int callers) {
        InFlightSimulation simulation = new InFlightSimulation(
                workers, Duration.ofMillis(100), Duration.ofMillis(20), callers, Duration.ofMinutes(4), 1);
        NavigableMap<Integer, Result> fixed = InFlightCommand.fixed(simulation);
        int bestLimit = InFlightCommand.best(fixed);
        Result best = Objects.requireNonNull(fixed.get(bestLimit));
        assertThat(bestLimit).isBetween(workers, workers * 2); // network included, 1.2 times the workers are busy
        for (String name : new String[] {InFlightCommand.WINDOWED_VEGAS, InFlightCommand.WINDOWED_AIMD}) {
            Result adaptive = simulation.with(
                    AdaptiveInFlightLimit.of(Objects.requireNonNull(InFlightCommand.ALGORITHMS.get(name))));
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
}
