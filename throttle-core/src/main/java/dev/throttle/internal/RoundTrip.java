package dev.throttle.internal;

/**
 * Estimates how long a question and its answer take, and how much that varies, as TCP does it for its timer (RFC 6298).
 * Thread-safe.
 */
public final class RoundTrip {

    private static final double NEW_PART = 1.0 / 8;
    private static final double NEW_PART_OF_SPREAD = 1.0 / 4;
    private static final int SPREADS = 4;

    private double mean;
    private double spread;
    private volatile long slow;

    /**
     * Adds a measurement.
     *
     * @param nanos the time from the question to its answer; a negative one counts as zero
     */
    public synchronized void add(long nanos) {
        double measured = Math.max(0, nanos);
        if (slow == 0) {
            mean = measured;
            spread = measured / SPREADS;
        } else {
            spread += NEW_PART_OF_SPREAD * (Math.abs(measured - mean) - spread);
            mean += NEW_PART * (measured - mean);
        }
        slow = Math.max(1, Math.round(mean + SPREADS * spread));
    }

    /** {@return the time, in nanoseconds, that few answers exceed; 0 before the first measurement} */
    public long slowNanos() {
        return slow;
    }
}
