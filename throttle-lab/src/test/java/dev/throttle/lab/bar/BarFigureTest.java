package dev.throttle.lab.bar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.Outage;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerScript;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.server.Weight;
import dev.throttle.lab.sim.Demand;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.RunRecord;
import dev.throttle.lab.sim.Scenario;
import dev.throttle.lab.sim.Simulation;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BarFigureTest {

    /** Ten threads on a server without a limit to speak of, the mean latency 100 ms. */
    private static @Nullable Double of(BarFigure figure, Outage... outages) {
        ServerScript script = new ServerScript(
                Duration.ZERO, List.of(), List.of(outages), List.of(), 0, Duration.ZERO, Weight.ONE, null);
        ServerSpec server = new ServerSpec(
                ServerKind.FIXED_WINDOW, 100_000, Duration.ofHours(1), null, HeaderStyle.NONE, false, script);
        Scenario scenario = new Scenario(
                server,
                1,
                10,
                Duration.ofMinutes(1),
                Duration.ofMillis(100),
                List.of(),
                null,
                new Demand.Endless(),
                null,
                null);
        RunRecord run = Simulation.run(scenario, Strategies.none(), 1, false);
        return figure.of(run, Figures.of(run));
    }

    private static Outage outage(int from, int length, int status) {
        return new Outage(Duration.ofSeconds(from), Duration.ofSeconds(length), status, false);
    }

    @Test
    void whatMetAnOutageIsCounted() {
        // The ten are on their way, and then one request at a time asks whether the server is back.
        assertThat(of(BarFigure.IN_VAIN, outage(10, 2, 502))).isBetween(10.0, 14.0);
        assertThat(of(BarFigure.IN_VAIN, outage(10, 2, 502), outage(20, 1, 502)))
                .isEqualTo(of(BarFigure.IN_VAIN, outage(10, 2, 502)));
        assertThat(of(BarFigure.IN_VAIN)).isNull();
    }

    @Test
    void theWayBackIsTheTimeToTheFirstAcceptedRequest() {
        assertThat(of(BarFigure.BACK, outage(10, 2, 502))).isBetween(0.0, 2.0);
        assertThat(of(BarFigure.BACK, outage(10, 2, 502), outage(11, 9, 502))).isBetween(8.0, 10.1);
        assertThat(of(BarFigure.BACK)).isNull();
    }
}
