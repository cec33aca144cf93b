package dev.throttle.lab.sim;

import java.time.Duration;

/**
 * Processes that come or go.
 *
 * @param at when, from the start
 * @param processes how many come; negative if they go
 */
public record Change(Duration at, int processes) {}
