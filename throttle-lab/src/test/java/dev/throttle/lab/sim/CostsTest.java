package dev.throttle.lab.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.throttle.control.Strategies;
import dev.throttle.lab.peer.Peers;
import dev.throttle.lab.server.Charge;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.Load;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerScript;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.TokenLimits;
import dev.throttle.signal.Cost;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CostsTest {

    private static final Duration LATENCY = Duration.ofMillis(200);
    private static final LogNormal THOUSAND = new LogNormal(1000, 0);

    private static ServerSpec server(Charge charge) {
        TokenLimits limits = new TokenLimits("tokens", 3000, Duration.ofSeconds(3), false, null, charge);
        return new ServerSpec(
                ServerKind.LLM, 100, Duration.ofSeconds(1), null, HeaderStyle.OPENAI, false, ServerScript.NONE, limits);
    }

    private static Costs costs(LogNormal first, Duration stream, CostChange... changes) {
        return new Costs(first, null, "tokens", null, List.of(changes), stream, true);
    }

    private static Scenario scenario(Charge charge, int processes, int threads, Demand demand, Costs costs) {
        return new Scenario(
                server(charge),
                processes,
                threads,
                Duration.ofMinutes(10),
                LATENCY,
                List.of(),
                null,
                demand,
                null,
                null,
                costs,
                Retries.ALL);
    }

    private static Demand calls(long calls) {
        return new Demand.Jobs(List.of(new Demand.Job(calls, Duration.ZERO)));
    }

    private static double ideal(Scenario scenario) {
        RunRecord run = Simulation.run(scenario, Strategies.none(), 1, false);
        return Objects.requireNonNull(run.idealNanos()) / 1e9;
    }

    @Test
    void amountsHaveTheMeanAndTheSpread() {
        LogNormal law = new LogNormal(4000, 0.8);
        SplittableRandom random = new SplittableRandom(1);
        double sum = 0;
        double logs = 0;
        double squares = 0;
        int count = 100_000;
        for (int i = 0; i < count; i++) {
            double amount = law.draw(random);
            sum += amount;
            logs += Math.log(amount);
            squares += Math.log(amount) * Math.log(amount);
        }

        double meanLog = logs / count;
        assertThat(sum / count).isCloseTo(4000, within(60.0));
        assertThat(Math.sqrt(squares / count - meanLog * meanLog)).isCloseTo(0.8, within(0.01));
        assertThat(THOUSAND.draw(random)).isEqualTo(1000);
    }

    @Test
    void aCallCostsTheSameWhoeverMakesIt() {
        Scenario scenario =
                scenario(Charge.ARRIVAL, 1, 1, new Demand.Endless(), costs(new LogNormal(1000, 3), Duration.ZERO));
        CallCosts one = new CallCosts(scenario, 7, 3);
        CallCosts other = new CallCosts(scenario, 7, 3);

        for (int i = 0; i < 1000; i++) {
            Load load = one.next();
            assertThat(other.next()).isEqualTo(load);
            assertThat(load.tokens()).isBetween(1L, 3000L);
        }
        assertThat(new CallCosts(scenario, 7, 4).next()).isNotEqualTo(new CallCosts(scenario, 7, 3).next());
    }

    @Test
    void costsChangeFromACallOn() {
        Costs costs = costs(THOUSAND, Duration.ZERO, new CostChange(5, 2), new CostChange(3, 0.5));
        CallCosts calls = new CallCosts(scenario(Charge.ARRIVAL, 1, 1, new Demand.Endless(), costs), 7, 0);

        List<Long> drawn = java.util.stream.Stream.generate(calls::next)
                .limit(6)
                .map(Load::tokens)
                .toList();

        assertThat(drawn).containsExactly(1000L, 1000L, 500L, 500L, 2000L, 2000L);
    }

    @Test
    void aProgramTellsWhatItBelievesAndLearnsTheTruth() {
        Costs told = new Costs(THOUSAND, null, "points", 0.2, List.of(), Duration.ZERO, true);
        Load load = new Load(1000, 0, 0.2, false);

        assertThat(told.estimate(load)).isEqualTo(Cost.of("points", 200));
        assertThat(told.truth(load)).isEqualTo(Cost.of("points", 1000));
        assertThat(costs(THOUSAND, Duration.ZERO).estimate(load)).isNull();
        Costs two = new Costs(THOUSAND, THOUSAND, "tokens", 2.0, List.of(), Duration.ZERO, true);
        assertThat(two.estimate(new Load(10, 20, 2, false)))
                .isEqualTo(Cost.of("input-tokens", 20).and("output-tokens", 40));
    }

    @Test
    void theIdealWaitsForTokens() {
        // three at once, then one a second
        assertThat(ideal(scenario(Charge.ARRIVAL, 1, 5, calls(10), costs(THOUSAND, Duration.ZERO))))
                .isCloseTo(7.2, within(0.001));
        // a call of a second's stream more at the end
        assertThat(ideal(scenario(Charge.ARRIVAL, 1, 5, calls(10), costs(THOUSAND, Duration.ofSeconds(1)))))
                .isCloseTo(8.2, within(0.001));
        // one thread: 0.2 s and a second for each
        assertThat(ideal(scenario(Charge.ARRIVAL, 1, 1, calls(10), costs(THOUSAND, Duration.ofSeconds(1)))))
                .isCloseTo(12.0, within(0.001));
        // it makes no debts
        assertThat(ideal(scenario(Charge.END, 1, 5, calls(10), costs(THOUSAND, Duration.ofSeconds(1)))))
                .isCloseTo(8.2, within(0.001));
    }

    @Test
    void whoKnowsEverythingUsesAllTokens() {
        Scenario scenario =
                scenario(Charge.ARRIVAL, 2, 5, new Demand.Endless(), costs(new LogNormal(1000, 0.5), Duration.ZERO));
        RunRecord run = Simulation.run(scenario, Objects.requireNonNull(Peers.named("backoff-retry-after")), 1, false);
        CostFigures figures = Objects.requireNonNull(Figures.of(run).costs());

        assertThat(run.acceptableCost()).isCloseTo(603_000, within(3000.0));
        assertThat(run.acceptedCost() / 603_000).isEqualTo(figures.utilisation(), within(1e-9));
        assertThat(figures.utilisation()).isBetween(0.5, 1.0);
        assertThat(figures.jain()).isBetween(0.9, 1.0);
    }

    @Test
    void aJobEndsWithItsLastStream() {
        Scenario scenario = scenario(Charge.ARRIVAL, 1, 3, calls(3), costs(THOUSAND, Duration.ofSeconds(20)));
        JobFigures jobs = Objects.requireNonNull(Figures.of(Simulation.run(scenario, Strategies.none(), 1, false))
                .jobs());

        assertThat(jobs.jobSeconds()).isCloseTo(20.2, within(0.021));
        assertThat(jobs.idealSeconds()).isCloseTo(20.2, within(1e-6));
    }

    @Test
    void meansNeedTheFigureInEveryRun() {
        CostFigures one = new CostFigures(0.5, 1);
        assertThat(CostFigures.mean(List.of(one, new CostFigures(1.0, 0.5)))).isEqualTo(new CostFigures(0.75, 0.75));
        assertThat(CostFigures.mean(List.of(one, new CostFigures(null, 0)))).isEqualTo(new CostFigures(null, 0.5));
        assertThat(CostFigures.mean(java.util.Arrays.asList(one, null))).isNull();
    }
}
