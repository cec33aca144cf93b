package dev.throttle.lab.server;

import dev.throttle.internal.DurationText;
import dev.throttle.internal.Preconditions;
import java.time.Duration;

/**
 * A quota with a name, which counts only the calls of its own route.
 *
 * @param name the name
 * @param capacity requests per window
 * @param window the length of its fixed windows
 * @param share which share of all calls it counts: a part of the sum of all shares, above 0
 */
public record NamedLimit(String name, long capacity, Duration window, double share) {

    public NamedLimit {
        Preconditions.between("--scope", capacity, 1, ServerSpec.MOST);
        Preconditions.check(!window.isZero(), "--scope", DurationText.format(window), "a window above zero");
        Preconditions.check(share > 0 && share < Double.POSITIVE_INFINITY, "--scope", share, "a share above 0");
    }

    /** {@return the route of the calls that it counts} */
    public String route() {
        return "GET /" + name;
    }
}
