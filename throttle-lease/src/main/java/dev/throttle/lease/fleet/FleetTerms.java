package dev.throttle.lease.fleet;

import dev.throttle.internal.Preconditions;
import dev.throttle.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * What all fleets have in common, whatever their store.
 *
 * @param startTimeout how long the start waits for what the fleet knows at most
 * @param readableKeys whether the store shows keys as they are
 */
public record FleetTerms(String name, Duration startTimeout, boolean readableKeys, TimeSource time, Executor executor) {

    /** {@return a name of a fleet, checked} */
    public static String name(String name) {
        Preconditions.notBlank("name", name);
        Preconditions.check(
                name.indexOf('{') < 0 && name.indexOf('}') < 0 && name.length() <= 100,
                "name",
                name,
                "a text without braces, of at most 100 characters");
        return name;
    }
}
