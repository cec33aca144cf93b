package dev.throttle;

/**
 * How much a call matters beside others that wait for the same throttle. Classes share what the throttle lets go by the
 * weights of the {@link PriorityPolicy}; within a class it is first come, first served.
 */
public enum Priority {
    /** Somebody is waiting for the answer. */
    INTERACTIVE,
    /** What is neither of the others, and what every call is unless it says so. */
    NORMAL,
    /** Work that has time, such as an import or a report at night. */
    BATCH
}
