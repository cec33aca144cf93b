package dev.throttle;

/** What becomes of the bounds of waits while a throttle is paused. */
public enum WaitBounds {
    /** They go on counting: a caller whose wait gets longer than it may is turned away. */
    COUNT,
    /** They stand still: the time of the pause does not count, and nobody is turned away for it. */
    STAND_STILL
}
