package dev.throttle;

import dev.throttle.engine.Engine;
import dev.throttle.engine.RunMode;
import org.jspecify.annotations.Nullable;

/** The set that a throttle was made by, as its throttles see it. */
interface Successors {

    /** The engine that has taken over a key, made if need be. */
    Engine successor(String key);

    /** The engine that has taken over a key, if there is one. */
    @Nullable Engine successorIfPresent(String key);

    /** What was asked of the whole set. */
    RunMode mode();
}
