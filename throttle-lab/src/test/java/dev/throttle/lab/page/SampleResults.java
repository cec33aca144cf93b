package dev.throttle.lab.page;

import dev.throttle.control.Strategies;
import dev.throttle.lab.peer.Peers;
import dev.throttle.lab.server.HeaderStyle;
import dev.throttle.lab.server.ServerKind;
import dev.throttle.lab.server.ServerSpec;
import dev.throttle.lab.sim.Change;
import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.Comparison;
import dev.throttle.lab.sim.Scenario;
import dev.throttle.lab.sim.ThrottleClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Results of a short simulation: ten minutes, two processes, and one more from minute 5 on. */
final class SampleResults {

    private static final Scenario SCENARIO = new Scenario(
            new ServerSpec(ServerKind.GCRA, 4500, Duration.ofHours(1), 0L, HeaderStyle.REMAINING, false),
            2,
            5,
            Duration.ofMinutes(10),
            Duration.ofMillis(165),
            List.of(new Change(Duration.ofMinutes(5), 1)),
            null);

    private SampleResults() {}

    static List<Comparison.Result> of(String... names) {
        Comparison comparison = new Comparison(SCENARIO, 1, 1, true);
        return Stream.of(names)
                .map(name -> comparison.run(name, client(name), () -> {}))
                .toList();
    }

    private static Client.Factory client(String name) {
        Client.Factory peer = Peers.named(name);
        return peer == null ? ThrottleClient.with(Strategies.named(name, Map.of())) : peer;
    }
}
