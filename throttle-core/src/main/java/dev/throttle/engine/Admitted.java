package dev.throttle.engine;

import dev.throttle.signal.Cost;

/**
 * A request that was admitted.
 *
 * @param permitId identifies it; 0 if no controller was told of it
 * @param cost what it takes
 */
public record Admitted(long permitId, Cost cost) {}
