package dev.throttle.lease.fleet;

import java.time.Duration;

/**
 * Whether the store's count of processes is complete. While the store is away, no process is counted. After an outage
 * processes come back one after the other. The first one would see only a few, and take the others for new ones. So
 * each waits until all have had the time to come back. Thread-safe.
 */
final class Attendance {

    /** A process that was silent for this time does not count any more. */
    static final long SILENT_NANOS = Duration.ofSeconds(10).toNanos();
    /** Without an answer for this time, a process was away, and the others may have been too. */
    private static final long AWAY_NANOS = Duration.ofMillis(2500).toNanos();
    /**
     * Within this time after the first answer all are back: they try several times a second, and say it each second.
     */
    private static final long GATHERING_NANOS = Duration.ofSeconds(2).toNanos();

    /** When the store answered last, or the beginning. */
    private long answeredAt;
    /** When all are back. */
    private long completeAt;
    /** Since when it has answered, if not all are back. */
    private long gatheringSince;

    private boolean isGathering;
    /** Whether the caller was told to forget the others. */
    private boolean isForgotten = true;

    Attendance(long now) {
        this.answeredAt = now;
        this.completeAt = now;
    }

    /** Called when the store has answered; {@return whether its count is complete} */
    synchronized boolean answered(long now) {
        if (now - answeredAt > AWAY_NANOS) {
            if (!isGathering || now - answeredAt > SILENT_NANOS) {
                gatheringSince = now;
            }
            // Even if most answers are lost, all processes have been counted after this time.
            long latest = gatheringSince + SILENT_NANOS;
            completeAt = latest - now < GATHERING_NANOS ? latest : now + GATHERING_NANOS;
        }
        answeredAt = now;
        isForgotten = false;
        isGathering = now - completeAt < 0;
        return !isGathering;
    }

    /** {@return whether the others are to be forgotten now; true once} */
    synchronized boolean isOver(long now) {
        boolean isOver = !isForgotten && now - answeredAt > SILENT_NANOS;
        isForgotten |= isOver;
        return isOver;
    }
}
