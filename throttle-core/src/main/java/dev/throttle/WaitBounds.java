package dev.throttle;

/** Says whether {@code maxWait} keeps running while a throttle is paused. */
public enum WaitBounds {
    /** The time of the pause counts. A caller whose wait becomes too long is rejected. */
    COUNT,
    /** The time of the pause does not count, and no caller is rejected because of it. */
    STAND_STILL
}
