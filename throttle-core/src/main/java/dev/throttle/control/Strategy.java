package dev.throttle.control;

import java.util.Map;

/**
 * A strategy with its settings. It has no state and can be shared by any number of throttles. Each throttle makes its
 * own {@link Controller} from it, which holds the state.
 *
 * <p>{@link Strategies} makes the strategies of this library. To write your own, implement this interface and a
 * {@link RateLimit} or {@link RateController}, or a {@link SleepStrategy} and its {@link SleepController}.
 * Implementations must be immutable.
 */
public interface Strategy {

    /** {@return the name, shown in metrics and as the reason of waits} */
    String name();

    /** {@return the settings as text that {@link Strategies#named(String, Map)} can read; empty by default} */
    default Map<String, String> settings() {
        return Map.of();
    }

    /**
     * {@return whether its controllers share their state with other throttles or other processes; false by default} A
     * throttle that observes leaves such a limit alone, and a dry run leaves it out.
     */
    default boolean isShared() {
        return false;
    }

    /**
     * Makes the controller of a new throttle.
     *
     * @param host the throttle, which has the only {@linkplain ControllerHost#random() randomness} that the controller
     *     may use; it does not exist yet while this method runs, and must not be nudged
     * @return a new controller in its initial state
     */
    Controller newController(ControllerHost host);
}
