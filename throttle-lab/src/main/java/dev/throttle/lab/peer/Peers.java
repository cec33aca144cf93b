package dev.throttle.lab.peer;

import dev.throttle.lab.sim.Client;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Clients of other libraries and of most programs, by the names of the command line. */
public final class Peers {

    private static final Map<String, Client.Factory> ALL = new TreeMap<>(Map.of(
            "aws-adaptive", AwsAdaptive::new,
            "backoff-retry-after", BackoffRetryAfter::new,
            "gradient2", Gradient2::new,
            "greedy-until-reset", GreedyUntilReset::new));

    private Peers() {}

    /** {@return the names} */
    public static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /**
     * {@return the clients of a name; null if there are none}
     *
     * @param name the name
     */
    public static Client.@Nullable Factory named(String name) {
        return ALL.get(name);
    }
}
