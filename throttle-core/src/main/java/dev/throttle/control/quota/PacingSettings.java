package dev.throttle.control.quota;

/**
 * The settings of {@code quota-pacing} as its laws use them. The laws of one throttle share one object, so that they go
 * by other settings without losing what they have learned. Not thread-safe.
 */
final class PacingSettings {

    private double reserveAlone;
    private double reserveShared;
    private double maxInterval;
    private double maxResetWait;
    private long firstPatienceNanos;
    private double jitter;

    PacingSettings(
            double reserveAlone,
            double reserveShared,
            double maxInterval,
            double maxResetWait,
            long firstPatienceNanos,
            double jitter) {
        this.reserveAlone = reserveAlone;
        this.reserveShared = reserveShared;
        this.maxInterval = maxInterval;
        this.maxResetWait = maxResetWait;
        this.firstPatienceNanos = firstPatienceNanos;
        this.jitter = jitter;
    }

    PacingSettings copy() {
        return new PacingSettings(reserveAlone, reserveShared, maxInterval, maxResetWait, firstPatienceNanos, jitter);
    }

    /** Changes to what others are. */
    void become(PacingSettings other) {
        reserveAlone = other.reserveAlone;
        reserveShared = other.reserveShared;
        maxInterval = other.maxInterval;
        maxResetWait = other.maxResetWait;
        firstPatienceNanos = other.firstPatienceNanos;
        jitter = other.jitter;
    }

    /** {@return the share of a window that is kept for others while no other client was seen} */
    double reserveAlone() {
        return reserveAlone;
    }

    /** {@return the share of a window that is kept for others while another client was seen} */
    double reserveShared() {
        return reserveShared;
    }

    /** {@return the longest interval between requests in seconds} */
    double maxInterval() {
        return maxInterval;
    }

    /** {@return the longest wait for a reset without a question in between, in seconds} */
    double maxResetWait() {
        return maxResetWait;
    }

    /** {@return how long the others wait for the answer to the first request} */
    long firstPatienceNanos() {
        return firstPatienceNanos;
    }

    /** {@return the share of a wait that is added to it at random at most} */
    double jitter() {
        return jitter;
    }
}
