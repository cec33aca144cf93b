package dev.throttle.lab.server;

/**
 * Grants the capacity in any window of time, whenever it begins: it remembers when each request was accepted. What is
 * used up at the start counts as accepted evenly over the window before.
 */
final class SlidingWindow implements SimulatedServer {

    private final int capacity;
    private final long windowNanos;
    private final long initial;
    /** When the accepted requests of the last window came, a ring, the oldest at {@code first}. */
    private final long[] acceptedAt;

    private int first;
    private int used;

    SlidingWindow(int capacity, long windowNanos, long initial) {
        this.capacity = capacity;
        this.windowNanos = windowNanos;
        this.initial = initial;
        this.acceptedAt = new long[capacity];
        this.used = capacity - (int) initial;
        for (int i = 0; i < used; i++) {
            acceptedAt[i] = -windowNanos + (long) Math.ceil((double) windowNanos / used * (i + 1));
        }
    }

    @Override
    public Answer answer(long now) {
        forget(now);
        boolean accepted = used < capacity;
        if (accepted) {
            acceptedAt[(int) ((first + (long) used) % capacity)] = now;
            used++;
        }
        return new Answer(accepted ? Answer.OK : Answer.TOO_MANY_REQUESTS, capacity - used, resetNanos(now));
    }

    /** Where nothing is used there is nothing to come back. */
    @Override
    public long resetNanos(long now) {
        forget(now);
        return used == 0 ? windowNanos : acceptedAt[first] + windowNanos - now;
    }

    private void forget(long now) {
        while (used > 0 && acceptedAt[first] + windowNanos <= now) {
            first = (first + 1) % capacity;
            used--;
        }
    }

    @Override
    public long remaining(long now) {
        forget(now);
        return (long) capacity - used;
    }

    @Override
    public double grantable(long duration) {
        long windows = duration / windowNanos;
        long rest = duration % windowNanos;
        double inRest = rest == 0 ? 0 : initial + Math.floor((double) rest / windowNanos * (capacity - initial));
        return (double) windows * capacity + inRest;
    }

    @Override
    public double sustainedPerSecond() {
        return 1e9 / windowNanos * capacity;
    }
}
