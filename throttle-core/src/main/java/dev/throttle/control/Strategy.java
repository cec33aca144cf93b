package dev.throttle.control;

import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A configured algorithm. It holds settings only and may be shared by any number of throttles; each throttle makes its
 * own {@link Controller} from it, which holds the state.
 *
 * <p>The strategies that come with the library are made by {@link Strategies}. To bring your own, implement this
 * interface and either {@link SleepController} or {@link RateController}. Implementations are immutable.
 */
public interface Strategy {

    /** {@return the strategy's name, as shown in metrics and as reason of waits} */
    String name();

    /**
     * {@return the settings as text, in the form that {@link Strategies#named(String, Map)} reads; empty by default}
     */
    default Map<String, String> settings() {
        return Map.of();
    }

    /**
     * Makes the state of a new throttle.
     *
     * @param random the only source of randomness the controller may use; seeded by the throttle
     * @return a new controller at its beginning
     */
    Controller newController(RandomGenerator random);

    /**
     * Makes the state of a new throttle that can tell the throttle of its own accord that something has changed. This
     * is what throttles call. The default passes on the randomness and nothing else.
     *
     * @param host the throttle; while this method runs it does not exist yet, and must not be nudged
     * @return a new controller at its beginning
     */
    default Controller newController(ControllerHost host) {
        return newController(host.random());
    }
}
