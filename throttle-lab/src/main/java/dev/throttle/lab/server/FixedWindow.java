package dev.throttle.lab.server;

/** Grants the whole capacity anew at the beginning of each window. */
final class FixedWindow implements SimulatedServer {

    private final long capacity;
    private final long windowNanos;
    private final long initial;
    private long window;
    private long left;

    FixedWindow(long capacity, long windowNanos, long initial) {
        this.capacity = capacity;
        this.windowNanos = windowNanos;
        this.initial = initial;
        this.left = initial;
    }

    @Override
    public Answer answer(long now) {
        left = remaining(now);
        window = now / windowNanos;
        boolean accepted = left > 0;
        if (accepted) {
            left--;
        }
        return new Answer(accepted ? Answer.OK : Answer.TOO_MANY_REQUESTS, left, (window + 1) * windowNanos - now);
    }

    @Override
    public long remaining(long now) {
        return now / windowNanos > window ? capacity : left;
    }

    @Override
    public double grantable(long duration) {
        long laterWindows = Math.max(0, duration - 1) / windowNanos;
        return initial + (double) laterWindows * capacity;
    }

    @Override
    public double sustainedPerSecond() {
        return Double.NaN;
    }
}
