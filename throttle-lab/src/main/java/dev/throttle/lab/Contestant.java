package dev.throttle.lab;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.control.StrategyBuilder;
import dev.throttle.lab.fleet.FleetClients;
import dev.throttle.lab.fleet.StoreSpec;
import dev.throttle.lab.peer.Peers;
import dev.throttle.lab.sim.Client;
import dev.throttle.lab.sim.ThrottleClient;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A strategy that takes part, by name: one of the library's, or the class of a user's own.
 *
 * @param name as on the command line
 * @param strategy the strategy
 */
record Contestant(String name, Strategy strategy) {

    /**
     * {@return the clients of a name: throttles with a strategy, or a peer}
     *
     * @throws IllegalArgumentException if there are none
     */
    static Client.Factory client(String name, String startingSleep) {
        if (!Strategies.names().contains(name)) {
            Client.Factory peer = Peers.named(name);
            return peer == null ? ThrottleClient.with(own(name, Peers.names())) : peer;
        }
        return ThrottleClient.with(named(name, startingSleep).strategy());
    }

    /**
     * {@return the clients of a name as a fleet; null for a peer, which has nothing to share}
     *
     * @throws IllegalArgumentException if there are none
     */
    static Client.@Nullable Factory fleet(String name, String startingSleep, StoreSpec store) {
        boolean isPeer = !Strategies.names().contains(name) && Peers.named(name) != null;
        return isPeer ? null : FleetClients.with(named(name, startingSleep).strategy(), store);
    }

    private static final String STARTING_SLEEP = "startingSleep";

    /**
     * {@return the strategy of a name, with the settings that it has among those given}
     *
     * @throws IllegalArgumentException if there is none
     */
    static Contestant named(String name, String startingSleep) {
        if (!Strategies.names().contains(name)) {
            return new Contestant(name, own(name));
        }
        Map<String, String> settings = new HashMap<>();
        if (Strategies.builder(name).keys().contains(STARTING_SLEEP)) {
            settings.put(STARTING_SLEEP, startingSleep);
        }
        return new Contestant(name, made(name, settings));
    }

    /**
     * {@return the strategy of a name with settings of the user, and without randomness if so wanted}
     *
     * @throws IllegalArgumentException if there is none, or if it does not have or accept a setting
     */
    static Contestant configured(String name, Map<String, String> settings, boolean jitter) {
        if (!Strategies.names().contains(name)) {
            if (!settings.isEmpty()) {
                throw new IllegalArgumentException(name + " has no settings");
            }
            return new Contestant(name, own(name));
        }
        Map<String, String> all = new LinkedHashMap<>(settings);
        if (!jitter) {
            for (String key : new String[] {"jitter", "randomizationFactor"}) {
                if (Strategies.builder(name).keys().contains(key)) {
                    all.putIfAbsent(key, "0");
                }
            }
        }
        return new Contestant(name, made(name, all));
    }

    private static Strategy made(String name, Map<String, String> settings) {
        StrategyBuilder<?> builder = Strategies.builder(name);
        settings.forEach(builder::set);
        TunedConstants.applyTo(builder);
        return builder.build();
    }

    /**
     * Checks a name.
     *
     * @throws IllegalArgumentException if there is no strategy of this name
     */
    static void check(String name) {
        if (!Strategies.names().contains(name)) {
            own(name);
        }
    }

    private static Strategy own(String name) {
        return own(name, List.of());
    }

    private static Strategy own(String name, List<String> peers) {
        try {
            Object made = Class.forName(name).getConstructor().newInstance();
            if (made instanceof Strategy strategy) {
                return strategy;
            }
            throw new IllegalArgumentException(name + " is no " + Strategy.class.getName());
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    Stream.concat(Strategies.names().stream(), peers.stream())
                                    .distinct()
                                    .collect(Collectors.joining(", ", "'" + name + "': it takes ", ""))
                            + ", or a class on the class path that implements " + Strategy.class.getName(),
                    e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IllegalArgumentException(
                    name + " cannot be made by a public constructor without arguments: " + e, e);
        }
    }
}
