package dev.throttle.lease.fleet;

/**
 * What a fleet asks of its store. Each is done as one step, with the store's own clock in microseconds. The scripts of
 * {@code throttle-redis} say what keys and arguments each has, and what it answers.
 */
public enum Step {
    /** Leases permits of a token bucket. */
    TAKE_FROM_BUCKET,
    /** Gives permits back to a token bucket. */
    GIVE_TO_BUCKET,
    /** Leases permits of a sliding window. */
    TAKE_FROM_WINDOW,
    /** Gives permits back to a sliding window. */
    GIVE_TO_WINDOW,
    /** Adds what a process was told to what is known of a key, and publishes it. */
    LEARN,
    /** Registers a process as alive, and reads what is known of its keys. */
    READ,
    /** Removes a process from the users of its keys. */
    LEAVE,
    /** Names the keys of which something is known. */
    RECALL
}
