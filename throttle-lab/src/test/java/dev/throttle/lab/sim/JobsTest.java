package dev.throttle.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.Strategies;
import dev.throttle.lab.server.CapacityChange;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.LimitDetails;
import dev.throttle.lab.server.Lockout;
import dev.throttle.lab.server.Outage;
import dev.throttle.lab.server.SecondLimit;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerScript;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.Weight;
import dev.throttle.lab.server.WindowStart;
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
        return Objects.requireNonNull(Ideal.jobsDoneAt(scenario, 1)) / 1e9;
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
    void aWindowThatBeginsWithARequestIsThatMuchLater() {
        ServerSpec server = new ServerSpec(
                ServerKind.FIXED_WINDOW,
                100,
                Duration.ofMinutes(1),
                null,
                HeaderStyle.IETF,
                false,
                ServerScript.NONE,
                null,
                new LimitDetails(WindowStart.FIRST_REQUEST));

        // As above, but the first window begins when the first request arrives, after half a latency.
        assertThat(idealSeconds(jobs(server, 10, job(250, Duration.ZERO)))).isEqualTo(0.05 + 120 + 4 * 0.1 + 0.05);
    }

    @Test
    void anEmptyBucketGivesOneAfterTheOther() {
        // One a second; the tenth is there after ten seconds.
        assertThat(idealSeconds(jobs(server(ServerKind.GCRA, 60, 60, 0), 2, job(10, Duration.ZERO))))
                .isEqualTo(10.05);
        assertThat(idealSeconds(jobs(server(ServerKind.TOKEN_BUCKET, 60, 60, 0), 2, job(10, Duration.ZERO))))
                .isEqualTo(10.05);
    }

    private static double idealSeconds(
            ServerKind kind, long capacity, long seconds, LimitDetails details, int threads, long calls) {
        ServerSpec server = new ServerSpec(
                kind,
                capacity,
                Duration.ofSeconds(seconds),
                null,
                HeaderStyle.NONE,
                false,
                ServerScript.NONE,
                null,
                details);
        return idealSeconds(jobs(server, threads, job(calls, Duration.ZERO)));
    }

    @Test
    void theIdealKnowsWhatProductsDo() {
        // The first arrives after half a latency, the others 50 ms after each other, and the last answer takes the
        // other
        // half.
        assertThat(idealSeconds(ServerKind.NGINX_LIMIT_REQ, 20, 1, LimitDetails.NONE, 10, 21))
                .isEqualTo(1.1);
        // Six are accepted at once and held; the rest comes as the excess shrinks, and is held as long.
        assertThat(idealSeconds(ServerKind.NGINX_LIMIT_REQ, 10, 1, LimitDetails.NONE.burst(5, true), 11, 11))
                .isEqualTo(1.1);
        assertThat(idealSeconds(ServerKind.NGINX_LIMIT_REQ, 10, 1, LimitDetails.NONE.burst(5, false), 11, 11))
                .isEqualTo(0.6);
        // The period after the first hundred forgets one each 100 ms, the first one within its first millisecond.
        assertThat(idealSeconds(ServerKind.HAPROXY_RATE, 100, 10, LimitDetails.NONE, 150, 150))
                .isEqualTo(15.001);
        assertThat(idealSeconds(ServerKind.NEST_THROTTLER, 10, 10, LimitDetails.NONE, 10, 20))
                .isEqualTo(10.1);
        // Ten come at each whole second.
        assertThat(idealSeconds(ServerKind.SECOND_BUCKET, 100, 10, LimitDetails.NONE, 130, 130))
                .isEqualTo(3.05);
        assertThat(idealSeconds(ServerKind.INTERVAL_BUCKET, 100, 10, LimitDetails.NONE, 150, 150))
                .isEqualTo(10.05);
        assertThat(idealSeconds(ServerKind.VSTHROTTLE, 10, 10, LimitDetails.NONE, 12, 12))
                .isEqualTo(2.1);
        // Three rounds of two requests, a second each.
        assertThat(idealSeconds(ServerKind.CONCURRENCY, 2, 1, LimitDetails.NONE, 4, 6))
                .isEqualTo(3.1);
    }

    @Test
    void theIdealKnowsWhenTheLimitChanges() {
        ServerScript night = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(),
                List.of(new CapacityChange(Duration.ofSeconds(15), 0.5), new CapacityChange(Duration.ofSeconds(35), 1)),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        ServerSpec server = new ServerSpec(
                ServerKind.FIXED_WINDOW, 10, Duration.ofSeconds(10), null, HeaderStyle.NONE, false, night);

        // Ten at the start and at 10 s, five at 20 s and at 30 s, and five more as the night ends.
        assertThat(idealSeconds(jobs(server, 10, job(30, Duration.ZERO)))).isEqualTo(30.05);
        assertThat(idealSeconds(jobs(server, 10, job(35, Duration.ZERO)))).isEqualTo(35.05);
        assertThat(idealSeconds(jobs(server, 10, job(45, Duration.ZERO)))).isEqualTo(40.05);
    }

    @Test
    void theIdealSendsWhatFitsInTwoLimits() {
        ServerScript hidden = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                new SecondLimit(ServerKind.FIXED_WINDOW, 4, Duration.ofSeconds(1), SecondLimit.Shown.HIDDEN));
        ServerSpec server = new ServerSpec(
                ServerKind.FIXED_WINDOW, 10, Duration.ofSeconds(10), null, HeaderStyle.NONE, false, hidden);

        // Four, four and two, a second after each other, and the same ten seconds later.
        assertThat(idealSeconds(jobs(server, 10, job(20, Duration.ZERO)))).isEqualTo(12.05);
    }

    @Test
    void theIdealSendsOverAllConnections() {
        // Ten rounds of two, and as many when the windows end, which began with the first requests at 0.05 s.
        assertThat(idealSeconds(ServerKind.PER_CONNECTION, 10, 10, LimitDetails.NONE.connections(2), 2, 40))
                .isEqualTo(11);
        assertThat(idealSeconds(ServerKind.PER_CONNECTION, 10, 10, LimitDetails.NONE.connections(2), 2, 20))
                .isEqualTo(1);
    }

    @Test
    void eachThreadHasAConnectionOfItsOwn() {
        ServerSpec server =
                new ServerSpec(ServerKind.PER_CONNECTION, 10, Duration.ofSeconds(10), null, HeaderStyle.NONE, false);

        assertThat(run(jobs(server, 2, job(18, Duration.ZERO))).jobSeconds()).isBetween(0.8, 1.1);
        assertThat(run(jobs(server, 1, job(18, Duration.ZERO))).jobSeconds()).isGreaterThan(10.0);
    }

    @Test
    void theIdealIsNeverLockedOut() {
        LimitDetails fromFirst = new LimitDetails(WindowStart.FIRST_REQUEST);

        assertThat(idealSeconds(ServerKind.FIXED_WINDOW, 10, 10, fromFirst.lockout(Lockout.DOUBLE), 10, 20))
                .isEqualTo(idealSeconds(ServerKind.FIXED_WINDOW, 10, 10, fromFirst, 10, 20))
                .isEqualTo(10.1);
        assertThat(idealSeconds(ServerKind.FIXED_WINDOW, 10, 10, fromFirst.lockout(new Lockout(5)), 10, 20))
                .isEqualTo(10.1);
    }

    @Test
    void theIdealWaitsForARestartAndFindsAFullQuota() {
        ServerScript restart = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(Outage.restart(Duration.ofSeconds(5), Duration.ofSeconds(3))),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        ServerSpec server = new ServerSpec(
                ServerKind.FIXED_WINDOW, 10, Duration.ofSeconds(100), null, HeaderStyle.NONE, false, restart);

        assertThat(idealSeconds(jobs(server, 10, job(20, Duration.ZERO)))).isEqualTo(8.05);
    }

    @Test
    void aHeldAnswerComesLater() {
        ServerSpec server =
                new ServerSpec(ServerKind.CONCURRENCY, 2, Duration.ofSeconds(1), null, HeaderStyle.NONE, false);
        JobFigures figures = run(jobs(server, 2, job(6, Duration.ZERO)));

        assertThat(figures.idealSeconds()).isEqualTo(3.3);
        assertThat(figures.jobSeconds()).isBetween(3.25, 3.35);
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
    void theIdealMeetsTheSameHeavyRequests() {
        ServerScript heavy = new ServerScript(
                Duration.ZERO, List.of(), List.of(), List.of(), 0, Duration.ZERO, new Weight(2, 10), null);
        ServerSpec server =
                new ServerSpec(ServerKind.GCRA, 600, Duration.ofMinutes(1), 600L, HeaderStyle.NONE, true, heavy);
        for (int seed = 1; seed <= 5; seed++) {
            JobFigures figures = Objects.requireNonNull(Figures.of(
                            Simulation.run(jobs(server, 10, job(300, Duration.ZERO)), Strategies.none(), seed, false))
                    .jobs());

            assertThat(figures.slowdown()).isBetween(0.99, 1.03);
        }
    }

    @Test
    void whatCouldBeAcceptedIsWhatTheServerGivesOrTheThreadsAskFor() {
        ServerSpec empty = server(ServerKind.GCRA, 60, 60, 0);
        Scenario scenario = new Scenario(empty, 2, 5, Duration.ofSeconds(100), LATENCY, List.of(), null);
        ServerSpec plenty = server(ServerKind.FIXED_WINDOW, 1_000_000, 3600, 1_000_000);
        Scenario slow = new Scenario(plenty, 1, 2, Duration.ofSeconds(10), LATENCY, List.of(), null);

        // What arrives at the very end is not accepted any more.
        assertThat(Simulation.run(scenario, Strategies.none(), 1, false).acceptable())
                .isEqualTo(99);
        assertThat(Simulation.run(slow, Strategies.none(), 1, false).acceptable())
                .isEqualTo(200);
    }

    @Test
    void callsThatArriveAreAcceptedAsTheyCome() {
        ServerSpec plenty = server(ServerKind.FIXED_WINDOW, 1_000_000, 3600, 1_000_000);
        Scenario scenario = new Scenario(
                plenty, 2, 5, Duration.ofMinutes(10), LATENCY, List.of(), null, new Demand.Arrivals(2, 3), null, null);
        RunRecord run = Simulation.run(scenario, Strategies.none(), 1, false);
        Figures figures = Figures.of(run);

        assertThat(figures.accepted()).isBetween(0.9 * 7200, 1.1 * 7200);
        assertThat((double) run.acceptable()).isCloseTo(figures.accepted(), within(6.0)); // some are on their way
        assertThat(figures.p99WaitSeconds()).isZero();
        assertThat(figures.jobs()).isNull();
    }

    @Test
    void aCallThatMayNotWaitSoLongFails() {
        Scenario scenario = new Scenario(
                server(ServerKind.FIXED_WINDOW, 10, 60, 10),
                1,
                1,
                Duration.ofMinutes(10),
                LATENCY,
                List.of(),
                null,
                new Demand.Arrivals(1, 1),
                Duration.ofSeconds(5),
                null);
        Figures figures = Figures.of(Simulation.run(scenario, Strategies.none(), 1, false));

        assertThat(figures.failed()).isGreaterThan(300);
        assertThat(figures.p99WaitSeconds()).isLessThanOrEqualTo(5);
        assertThat(figures.accepted()).isBetween(90.0, 100.0);
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
