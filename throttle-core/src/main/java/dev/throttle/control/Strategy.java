package dev.throttle.control;

import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * A strategy with its settings. It has no state and can be shared by any number of throttles. Each throttle makes its
 * own {@link Controller} from it, which holds the state.
 *
 * <p>{@link Strategies} makes the strategies of this library. To write your own, implement this interface and either
 * {@link SleepController} or {@link RateController}. Implementations must be immutable.
 */
public interface Strategy {

    /** {@return the name, shown in metrics and as the reason of waits} */
    String name();

    /** {@return the settings as text that {@link Strategies#named(String, Map)} can read; empty by default} */
    default Map<String, String> settings() {
        return Map.of();
    }

    /**
     * Makes the controller of a new throttle.
     *
     * @param random the only source of randomness the controller may use; seeded by the throttle
     * @return a new controller in its initial state
     */
    Controller newController(RandomGenerator random);

    /**
     * Makes the controller of a new throttle, with a reference to it. Throttles call this method. The default calls
     * {@link #newController(RandomGenerator)}. Override it if the controller has to tell the throttle that something
     * has changed.
     *
     * @param host the throttle; it does not exist yet while this method runs, and must not be nudged
     * @return a new controller in its initial state
     */
    default Controller newController(ControllerHost host) {
        return newController(host.random());
    }
}
