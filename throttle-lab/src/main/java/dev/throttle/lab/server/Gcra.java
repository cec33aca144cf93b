package dev.throttle.lab.server;

/**
 * The generic cell rate algorithm: one number, the theoretical arrival time, which each accepted request pushes one
 * emission interval into the future and which may be at most one window ahead. In effect a bucket that is refilled
 * continuously.
 */
final class Gcra implements SimulatedServer {

    private static final double ROUNDING_NANOS = 0.5;

    private final double intervalNanos;
    private final double burstNanos;
    private final double initial;
    private double arrivalTime;

    Gcra(long capacity, long windowNanos, long initial) {
        this.intervalNanos = (double) windowNanos / capacity;
        this.burstNanos = windowNanos;
        this.initial = initial;
        this.arrivalTime = (capacity - initial) * intervalNanos;
    }

    @Override
    public Answer answer(long now) {
        double next = Math.max(arrivalTime, (double) now) + intervalNanos;
        if (next - now <= burstNanos + ROUNDING_NANOS) {
            arrivalTime = next;
            return new Answer(Answer.OK, remaining(now), resetNanos(now));
        }
        return new Answer(Answer.TOO_MANY_REQUESTS, remaining(now), resetNanos(now));
    }

    @Override
    public long remaining(long now) {
        double free = burstNanos - Math.max(0, arrivalTime - now);
        return (long) Math.floor((free + ROUNDING_NANOS) / intervalNanos);
    }

    @Override
    public long resetNanos(long now) {
        double free = burstNanos - Math.max(0, arrivalTime - now);
        return (long) Math.ceil((remaining(now) + 1) * intervalNanos - free);
    }

    @Override
    public double grantable(long duration) {
        return initial + Math.floor(duration / intervalNanos);
    }

    @Override
    public double sustainedPerSecond() {
        return 1e9 / intervalNanos;
    }
}
