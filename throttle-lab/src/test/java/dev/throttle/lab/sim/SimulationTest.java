package dev.throttle.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.Controller;
import dev.throttle.control.ControllerHost;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.fixtures.OpenController;
import dev.throttle.lab.peer.Peers;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.Outage;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerScript;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.Weight;
import dev.throttle.signal.Cost;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SimulationTest {

    private static final ServerSpec HEROKU =
            new ServerSpec(ServerKind.GCRA, 4500, Duration.ofHours(1), null, HeaderStyle.REMAINING, false);
    private static final Duration LATENCY = Duration.ofMillis(165);

    private static Scenario scenario(Change... changes) {
        return new Scenario(HEROKU, 2, 5, Duration.ofMinutes(30), LATENCY, List.of(changes), null);
    }

    private static RunRecord run(Scenario scenario, Strategy strategy) {
        return Simulation.run(scenario, strategy, 1, true);
    }

    /** Lets nobody go, ever. */
    private record Never() implements Strategy {
        @Override
        public String name() {
            return "never";
        }

        @Override
        public Controller newController(ControllerHost host) {
            return new OpenController() {
                @Override
                public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
                    return UNTIL_SIGNAL;
                }

                @Override
                public double limitPerSecond() {
                    return 0;
                }
            };
        }
    }

    @Test
    void aStrategyThatNeverAsksDoesNotLookGood() {
        Figures figures = Figures.of(run(
                scenario(new Change(Duration.ofMinutes(5), 8), new Change(Duration.ofMinutes(20), -8)), new Never()));

        assertThat(figures.requests()).isZero();
        assertThat(figures.retryRate()).isEqualTo(1);
        assertThat(figures.utilisation()).isZero();
        assertThat(figures.jain()).isZero();
        assertThat(figures.maxSleepSeconds()).isEqualTo(1800);
        assertThat(figures.p99WaitSeconds()).isEqualTo(1800);
        assertThat(figures.settleSeconds()).isEqualTo(900);
    }

    @Test
    void nothingVanishes() {
        RunRecord run = run(scenario(), Strategies.none());

        for (ProcessRecord process : run.processes()) {
            for (ThreadRecord thread : process.threads()) {
                assertThat(thread.requests()).isEqualTo(thread.accepted() + thread.refused());
                assertThat(thread.waits().size()).isBetween((int) thread.requests(), (int) thread.requests() + 2);
            }
        }
        Figures figures = Figures.of(run);
        assertThat(figures.utilisation()).isCloseTo(1, within(0.01));
    }

    @Test
    void withoutALimitThreadsSendOneRequestPerLatency() {
        ServerSpec ample =
                new ServerSpec(ServerKind.GCRA, 1_000_000, Duration.ofHours(1), 1_000_000L, HeaderStyle.NONE, false);
        Figures figures = Figures.of(
                run(new Scenario(ample, 2, 5, Duration.ofMinutes(5), LATENCY, List.of(), null), Strategies.none()));

        assertThat(figures.requests()).isCloseTo(10 * 300 / 0.165, within(30.0));
        assertThat(figures.retryRate()).isZero();
        assertThat(figures.p99WaitSeconds()).isZero();
        assertThat(figures.jain()).isCloseTo(1, within(0.001));
    }

    private static Figures restarted(Client.Factory client, Retries retries) {
        ServerScript script = new ServerScript(
                Duration.ZERO,
                List.of(),
                List.of(Outage.restart(Duration.ofSeconds(5), Duration.ofSeconds(3))),
                List.of(),
                0,
                Duration.ZERO,
                Weight.ONE,
                null);
        ServerSpec server = new ServerSpec(
                ServerKind.FIXED_WINDOW, 1000, Duration.ofSeconds(10), null, HeaderStyle.IETF, false, script);
        Scenario scenario = new Scenario(
                server,
                1,
                4,
                Duration.ofMinutes(5),
                LATENCY,
                List.of(),
                null,
                new Demand.Jobs(List.of(new Demand.Job(200, Duration.ZERO))),
                null,
                null,
                null,
                retries);
        return Figures.of(Simulation.run(scenario, client, 1, false));
    }

    @Test
    void aRefusedConnectionIsAFailureToTheThrottleAndTheCallIsRepeatedAsItsPolicySays() {
        Figures all = restarted(ThrottleClient.with(Strategies.none()), Retries.ALL);
        Figures three = restarted(ThrottleClient.with(Strategies.none()), Retries.STANDARD);

        assertThat(all.failed()).isZero();
        assertThat(all.refused()).isPositive();
        assertThat(all.accepted()).isEqualTo(200);
        assertThat(three.failed()).as("calls wait for a server that is away").isZero();
        assertThat(three.refused()).isPositive();
        assertThat(three.accepted()).isEqualTo(200);
    }

    @Test
    void peersComeBackAfterARefusedConnection() {
        Figures peer = restarted(Objects.requireNonNull(Peers.named("backoff-retry-after")), Retries.ALL);

        assertThat(peer.failed()).isZero();
        assertThat(peer.accepted()).isEqualTo(200);
        // 200 calls of four threads take a little more than eight seconds, the outage three, the last backoff some
        // more.
        assertThat(Objects.requireNonNull(peer.jobs()).jobSeconds()).isBetween(10.0, 25.0);
    }

    @Test
    void theSameSeedGivesTheSameRunAndAnotherAnother() {
        Strategy strategy = Strategies.standard();
        Figures first = Figures.of(Simulation.run(scenario(), strategy, 7, false));

        assertThat(Figures.of(Simulation.run(scenario(), strategy, 7, false))).isEqualTo(first);
        assertThat(Figures.of(Simulation.run(scenario(), strategy, 8, false))).isNotEqualTo(first);
    }

    @Test
    void tracingChangesNothing() {
        assertThat(Figures.of(Simulation.run(scenario(), Strategies.standard(), 7, true)))
                .isEqualTo(Figures.of(Simulation.run(scenario(), Strategies.standard(), 7, false)));
    }

    @Test
    void processesComeAndGo() {
        RunRecord run = run(
                scenario(new Change(Duration.ofMinutes(20), -8), new Change(Duration.ofMinutes(5), 8)),
                Strategies.none());

        assertThat(run.processes()).hasSize(10);
        long fiveMinutes = Duration.ofMinutes(5).toNanos();
        long twentyMinutes = Duration.ofMinutes(20).toNanos();
        ProcessRecord late = run.processes().get(9);
        assertThat(late.isPresent(fiveMinutes, twentyMinutes)).isTrue();
        assertThat(late.isPresent(fiveMinutes - 1, twentyMinutes)).isFalse();
        assertThat(late.isPresent(fiveMinutes, twentyMinutes + 1)).isFalse();
        assertThat(late.acceptedBetween(0, fiveMinutes)).isZero();
        assertThat(late.acceptedBetween(twentyMinutes + 1_000_000_000L, Long.MAX_VALUE))
                .isZero();
        assertThat(run.processes().get(0).isPresent(0, Duration.ofMinutes(30).toNanos()))
                .isTrue();
    }

    @Test
    void aRunStopsWhenTheQuotaIsUsedUp() {
        ServerSpec stock =
                new ServerSpec(ServerKind.DECREASE_ONLY, 4500, Duration.ofHours(1), null, HeaderStyle.REMAINING, false);
        RunRecord run =
                run(new Scenario(stock, 2, 5, Duration.ofMinutes(30), LATENCY, List.of(), 10L), Strategies.none());

        assertThat(run.isStopped()).isTrue();
        assertThat(Figures.of(run).elapsedSeconds()).isCloseTo(4490 / 10 * 0.165, within(0.5));
    }

    @Test
    void aRunThatDoesNotGetThereHasNoTimeToClear() {
        Scenario scenario = new Scenario(HEROKU, 2, 5, Duration.ofMinutes(1), LATENCY, List.of(), 0L);
        ServerSpec full =
                new ServerSpec(ServerKind.GCRA, 4500, Duration.ofHours(1), 4500L, HeaderStyle.REMAINING, false);

        assertThat(Figures.of(run(scenario, Strategies.none())).elapsedSeconds())
                .isNotNull();
        assertThat(Figures.of(run(
                                new Scenario(full, 2, 5, Duration.ofMinutes(1), LATENCY, List.of(), 0L),
                                Strategies.none()))
                        .elapsedSeconds())
                .isNull();
    }

    @Test
    void aBusyServerIsAskedUntilItAccepts() {
        ServerSpec busy = new ServerSpec(ServerKind.BUSY, 10, Duration.ofSeconds(1), null, HeaderStyle.NONE, true);
        Figures figures = Figures.of(
                run(new Scenario(busy, 4, 5, Duration.ofMinutes(5), LATENCY, List.of(), null), Strategies.none()));

        assertThat(figures.retryRate()).isBetween(0.05, 0.95);
        assertThat(figures.utilisation()).isGreaterThan(0.5);
    }

    @Test
    void scenariosAreChecked() {
        assertThatThrownBy(() -> scenario(new Change(Duration.ofMinutes(5), -2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--leave");
        assertThatThrownBy(() -> scenario(new Change(Duration.ofMinutes(30), 2)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--join");
        ServerSpec perConnection =
                new ServerSpec(ServerKind.PER_CONNECTION, 10, Duration.ofSeconds(10), null, HeaderStyle.NONE, false);
        for (Demand demand : List.of(new Demand.Arrivals(1, 1), new Demand.Endless())) {
            assertThatThrownBy(() -> new Scenario(
                            perConnection,
                            1,
                            1,
                            Duration.ofMinutes(20),
                            Duration.ofMillis(100),
                            List.of(new Change(Duration.ofMinutes(5), 2)),
                            null,
                            demand,
                            null,
                            null))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(demand instanceof Demand.Endless ? "--join" : "--arrivals")
                    .hasMessageContaining("per-connection");
        }
    }
}
