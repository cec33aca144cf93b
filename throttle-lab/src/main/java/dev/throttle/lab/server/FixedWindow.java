package dev.throttle.lab.server;

/** Grants the whole capacity anew at the beginning of each window. */
final class FixedWindow implements SimulatedServer {

    private final long capacity;
    private final long windowNanos;
    private final long initial;
    /** How long before the start the first window began. */
    private final long phaseNanos;

    private long window;
    private long left;

    FixedWindow(long capacity, long windowNanos, long initial, long phaseNanos) {
        this.capacity = capacity;
        this.windowNanos = windowNanos;
        this.initial = initial;
        this.phaseNanos = phaseNanos;
        this.left = initial;
    }

    @Override
    public Answer answer(long now) {
        left = remaining(now);
        window = windowAt(now);
        boolean accepted = left > 0;
        if (accepted) {
            left--;
        }
        return new Answer(accepted ? Answer.OK : Answer.TOO_MANY_REQUESTS, left, resetNanos(now));
    }

    @Override
    public long resetNanos(long now) {
        return (windowAt(now) + 1) * windowNanos - now - phaseNanos;
    }

    private long windowAt(long now) {
        return (now + phaseNanos) / windowNanos;
    }

    @Override
    public long remaining(long now) {
        return windowAt(now) > window ? capacity : left;
    }

    @Override
    public double grantable(long duration) {
        long laterWindows = windowAt(Math.max(0, duration - 1));
        return initial + (double) laterWindows * capacity;
    }

    @Override
    public double sustainedPerSecond() {
        return Double.NaN;
    }
}
