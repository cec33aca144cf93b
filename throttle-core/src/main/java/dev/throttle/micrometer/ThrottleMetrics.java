package dev.throttle.micrometer;

/** Placeholder. */
public final class ThrottleMetrics {
    private ThrottleMetrics() {}
}
