package dev.throttle.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.Strategies;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Jobs on servers for which the earliest end can be reckoned by hand. */
class JobsTest {

    private static final Duration LATENCY = Duration.ofMillis(100);

    private static Scenario jobs(ServerSpec server, int threads, Demand.Job... jobs) {
        return new Scenario(
                server,
                jobs.length,
                threads,
                Duration.ofHours(4),
                LATENCY,
                List.of(),
                null,
                new Demand.Jobs(List.of(jobs)),
                null,
                null);
    }

    private static Demand.Job job(long calls, Duration start) {
        return new Demand.Job(calls, start);
    }

    private static ServerSpec server(ServerKind kind, long capacity, long seconds, long initial) {
        return new ServerSpec(kind, capacity, Duration.ofSeconds(seconds), initial, HeaderStyle.GITHUB, false);
    }

    private static double idealSeconds(Scenario scenario) {
        return Objects.requireNonNull(Ideal.jobsDoneAt(scenario)) / 1e9;
    }

    private static JobFigures run(Scenario scenario) {
        return Objects.requireNonNull(Figures.of(Simulation.run(scenario, Strategies.none(), 1, false))
                .jobs());
    }

    @Test
    void aFullWindowTakesWhatTheThreadsNeed() {
        assertThat(idealSeconds(jobs(server(ServerKind.FIXED_WINDOW, 5000, 3600, 5000), 10, job(4000, Duration.ZERO))))
                .isEqualTo(40);
    }

    @Test
    void whatDoesNotFitInAWindowWaitsForTheNext() {
        // 100 in the first window, 100 in the second, 50 in the third: five rounds of ten threads. The first requests
        // of the third window arrive as it begins, the last ones four latencies later, and their answer takes half.
        assertThat(idealSeconds(jobs(server(ServerKind.FIXED_WINDOW, 100, 60, 100), 10, job(250, Duration.ZERO))))
                .isEqualTo(120 + 4 * 0.1 + 0.05);
    }

    @Test
    void anEmptyBucketGivesOneAfterTheOther() {
        // One a second; the tenth is there after ten seconds.
        assertThat(idealSeconds(jobs(server(ServerKind.GCRA, 60, 60, 0), 2, job(10, Duration.ZERO))))
                .isEqualTo(10.05);
        assertThat(idealSeconds(jobs(server(ServerKind.TOKEN_BUCKET, 60, 60, 0), 2, job(10, Duration.ZERO))))
                .isEqualTo(10.05);
    }

    @Test
    void aFullBucketIsEmptiedFirst() {
        // 60 at once, then one a second; a latency and a half of one thread each is less than that.
        assertThat(idealSeconds(jobs(server(ServerKind.GCRA, 60, 60, 60), 60, job(70, Duration.ZERO))))
                .isCloseTo(0.05 + 10 + 0.05, within(1e-6));
    }

    @Test
    void aSlidingWindowGivesBackWhatIsOld() {
        assertThat(idealSeconds(jobs(server(ServerKind.SLIDING_WINDOW, 10, 60, 10), 10, job(20, Duration.ZERO))))
                .isEqualTo(60.1);
    }

    @Test
    void aJobThatBeginsLaterEndsLater() {
        Scenario scenario = jobs(
                server(ServerKind.FIXED_WINDOW, 5000, 3600, 5000),
                1,
                job(10, Duration.ZERO),
                job(5, Duration.ofMinutes(5)));
        JobFigures figures = run(scenario);

        assertThat(idealSeconds(scenario)).isEqualTo(300.5);
        assertThat(figures.jobSeconds()).isCloseTo(300.5, within(0.05));
        assertThat(figures.byProcess().get(0)).isCloseTo(1.0, within(0.1));
        assertThat(figures.byProcess().get(1)).isCloseTo(0.5, within(0.05));
    }

    @Test
    void theSlowdownIsTheRatio() {
        JobFigures figures = run(jobs(server(ServerKind.FIXED_WINDOW, 100, 60, 100), 10, job(150, Duration.ZERO)));

        double seconds = Objects.requireNonNull(figures.jobSeconds());
        assertThat(figures.idealSeconds()).isEqualTo(60.45);
        assertThat(seconds).isBetween(60.0, 64.0);
        assertThat(figures.slowdown()).isEqualTo(seconds / 60.45);
    }

    @Test
    void aServerThatStopsGivingHasNoIdeal() {
        JobFigures figures = run(jobs(server(ServerKind.DECREASE_ONLY, 100, 60, 100), 10, job(150, Duration.ZERO)));

        assertThat(figures.idealSeconds()).isNull();
        assertThat(figures.jobSeconds()).isNull();
        assertThat(figures.slowdown()).isNull();
        assertThat(figures.byProcess()).containsExactly((Double) null);
    }

    @Test
    void aRunEndsWithTheLastJob() {
        RunRecord run = Simulation.run(
                jobs(server(ServerKind.FIXED_WINDOW, 5000, 3600, 5000), 10, job(40, Duration.ZERO)),
                Strategies.none(),
                1,
                false);

        assertThat(run.endedAt() / 1e9).isBetween(0.36, 0.44);
        assertThat(Figures.of(run).accepted()).isEqualTo(40);
        assertThat(Figures.of(run).elapsedSeconds()).isNull();
        assertThat(run.callWaits().size()).isEqualTo(40);
    }
}
