package dev.throttle.lab.server;

import java.time.Duration;

/**
 * A time in which the server answers 503 without hints to everything.
 *
 * @param from when it begins, from the start
 * @param length how long it lasts
 */
public record Outage(Duration from, Duration length) {}
