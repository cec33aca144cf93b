package dev.throttle.lab.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.sim.Change;
import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.Figures;
import dev.throttle.lab.sim.Scenario;
import dev.throttle.lab.sim.ThrottleClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What eight processes gain that join two on the server of the published scenario, when they are a fleet. */
@Tag("slow")
class FleetGainTest {

    private static final Scenario JOINING = new Scenario(
            new ServerSpec(ServerKind.GCRA, 4500, Duration.ofHours(1), 0L, HeaderStyle.REMAINING, false),
            2,
            5,
            Duration.ofMinutes(15),
            Duration.ofMillis(165),
            List.of(new Change(Duration.ofMinutes(5), 8)),
            null);

    private static final StoreSpec STORE = new StoreSpec(Duration.ofMillis(1), 0, List.of());

    private static Figures figures(Client.Factory client) {
        return new Comparison(JOINING, 3, 1, false).run("", client, () -> {}).figures();
    }

    @Test
    void whoJoinsIsNotRefusedAndSettlesThreeTimesSooner() {
        Figures alone = figures(ThrottleClient.with(Strategies.quotaPacing().build()));
        Figures fleet = figures(FleetClients.with(Strategies.quotaPacing().build(), STORE));
        assertThat(Objects.requireNonNull(alone.joinRefusals())).isPositive();
        assertThat(Objects.requireNonNull(fleet.joinRefusals())).isZero();
        assertThat(Objects.requireNonNull(fleet.settleSeconds()))
                .isLessThanOrEqualTo(Objects.requireNonNull(alone.settleSeconds()) / 3);
        assertThat(fleet.utilisation()).isGreaterThan(0.98);
        assertThat(Objects.requireNonNull(fleet.storeRate())).isLessThan(15);
    }
}
