package dev.throttle.lab.server;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The law of {@code limit_conn} of nginx, and of middleware that counts requests in flight: so many requests at a time,
 * each of which takes a while. What does not fit is refused at once. It knows nothing to tell about a quota.
 */
final class ConcurrencyLimit implements SimulatedServer {

    private final long capacity;
    private final long workNanos;
    private final int refusal;
    /** When the requests will have been answered that are at work. */
    private final Deque<Long> ends = new ArrayDeque<>();

    ConcurrencyLimit(long capacity, long workNanos, int refusal) {
        this.capacity = capacity;
        this.workNanos = workNanos;
        this.refusal = refusal;
    }

    @Override
    public Answer answer(long now) {
        if (remaining(now) == 0) {
            return new Answer(refusal, Answer.UNKNOWN, resetNanos(now));
        }
        ends.add(now + workNanos);
        return new Answer(Answer.OK, Answer.UNKNOWN, Answer.UNKNOWN).heldFor(workNanos);
    }

    @Override
    public long remaining(long now) {
        while (!ends.isEmpty() && ends.element() <= now) {
            ends.remove();
        }
        return capacity - ends.size();
    }

    @Override
    public long resetNanos(long now) {
        return remaining(now) == capacity ? workNanos : ends.element() - now;
    }

    @Override
    public double grantable(long duration) {
        return (double) capacity * (Math.max(0, duration - 1) / workNanos + 1);
    }

    @Override
    public double sustainedPerSecond() {
        return 1e9 / workNanos * capacity;
    }
}
