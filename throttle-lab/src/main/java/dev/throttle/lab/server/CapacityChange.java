package dev.throttle.lab.server;

import java.time.Duration;

/**
 * The server grants more or less from a moment on.
 *
 * @param at when, from the start
 * @param factor the new capacity as a multiple of the first one
 */
public record CapacityChange(Duration at, double factor) {}
