package dev.throttle.lab.server;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Refusals for no reason. Exactly one of the three conditions is set.
 *
 * @param status the status of the refusal
 * @param number the answer that is a refusal, counted from 1; 0 if another condition holds
 * @param every refuses the first request after each multiple of this time; null if another condition holds
 * @param share the share of all requests, drawn at random, that is refused; 0 if another condition holds
 * @param hint whether the refusal asks with {@code Retry-After} to wait for a second
 */
public record Stray(int status, long number, @Nullable Duration every, double share, boolean hint) {}
