package dev.throttle.control.quota;

/**
 * The settings of {@code quota-pacing} as its laws use them.
 *
 * @param reserveAlone the share of a window that is kept for others while nobody else was seen
 * @param reserveShared the share of a window that is kept for others while somebody else was seen
 * @param maxInterval the longest interval between requests in seconds
 * @param maxResetWait the longest wait for a reset without a question in between, in seconds
 * @param firstPatienceNanos how long the others wait for the answer to the first request
 * @param jitter the share of a wait that is added to it at random at most
 */
record PacingSettings(
        double reserveAlone,
        double reserveShared,
        double maxInterval,
        double maxResetWait,
        long firstPatienceNanos,
        double jitter) {}
