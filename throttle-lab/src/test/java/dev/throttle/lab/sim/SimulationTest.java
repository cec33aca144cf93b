package dev.throttle.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.Controller;
import dev.throttle.control.RateController;
import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.signal.Cost;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
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
        public Controller newController(RandomGenerator random) {
            return new RateController() {
                @Override
                public long dueNanos(Cost ahead, Cost cost, long nowNanos) {
                    return UNTIL_SIGNAL;
                }

                @Override
                public void onAdmitted(Cost cost, long nowNanos) {}

                @Override
                public void onSignal(Signal signal, Load load, long nowNanos) {}

                @Override
                public double limitPerSecond() {
                    return 0;
                }

                @Override
                public boolean isIdle() {
                    return false;
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
    }
}
