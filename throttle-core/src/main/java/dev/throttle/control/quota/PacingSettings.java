package dev.throttle.control.quota;

/**
 * The settings of {@code quota-pacing}. Immutable.
 *
 * @param reserveAlone the share of a window that is kept for others while no other client was seen
 * @param reserveShared the share of a window that is kept for others while another client was seen; more where windows
 *     are scarce
 * @param maxInterval the longest interval between requests in seconds
 * @param maxResetWait the longest wait for a reset without a question in between, in seconds
 * @param firstPatienceNanos how long the others wait for the answer to the first request
 * @param jitter the share of an interval by which it is longer or shorter at random, at most
 */
record PacingSettings(
        double reserveAlone,
        double reserveShared,
        double maxInterval,
        double maxResetWait,
        long firstPatienceNanos,
        double jitter) {}
