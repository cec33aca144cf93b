package dev.throttle.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.lab.PoolSimulation.Result;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A pool of three servers, one slow, one away for a minute and one without headers, beside what knows everything. */
@Tag("slow")
class PoolBarTest {

    @ParameterizedTest
    @CsvSource({"20, 10000, 1", "60, 10000, 1", "60, 10000, 2", "40, 12000, 3"})
    void aPoolUsesAllQuotasWithFewRefusalsAndNoCallFails(int callers, int calls, long seed) {
        PoolSimulation simulation = new PoolSimulation(PoolSimulation.usual(), callers, calls, seed);
        Result pool = simulation.withPool();
        Result ideal = simulation.ideal();
        assertThat(ideal.used()).isGreaterThan(0.99);
        assertThat(pool.failed()).isZero();
        assertThat(pool.accepted().stream().mapToLong(Long::longValue).sum()).isEqualTo(calls);
        assertThat(pool.used()).isGreaterThanOrEqualTo(0.98);
        assertThat(pool.refusedShare()).isLessThanOrEqualTo(0.01);
        assertThat((double) pool.nanos() / ideal.nanos()).isLessThanOrEqualTo(1.05);
    }

    @Test
    void aRouterThatLetsServersCoolDownFailsCallsOrSendsManyInVain() {
        PoolSimulation simulation = new PoolSimulation(PoolSimulation.usual(), 60, 10_000, 1);
        assertThat(simulation.withRouter(0).failed()).isGreaterThan(1_000);
        Result patient = simulation.withRouter(10);
        assertThat(patient.refusedShare()).isGreaterThan(0.05);
    }
}
