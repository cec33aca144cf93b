package dev.throttle.lab.sim;

/** How often the library's throttles repeat what was refused or failed. */
public enum Retries {
    /** Until it is accepted: calls that are given up would be missing from the figures. */
    ALL,
    /** As by default in production. */
    STANDARD
}
