package dev.throttle.observe;

import java.util.ArrayDeque;
import java.util.Deque;

/** A sliding window: each request comes back one window after it was made. */
final class SlidingUsage implements Usage {

    private record Use(long at, double amount) {}

    private final long window;
    private final Deque<Use> uses = new ArrayDeque<>();
    private double used;

    /**
     * Makes it.
     *
     * @param window its length in nanoseconds
     */
    SlidingUsage(long window) {
        this.window = window;
    }

    private void forget(long now) {
        for (Use oldest = uses.peekFirst(); oldest != null && now - oldest.at >= window; oldest = uses.peekFirst()) {
            used -= oldest.amount;
            uses.removeFirst();
        }
        if (uses.isEmpty()) {
            used = 0; // no rounding is left
        }
    }

    @Override
    public double used(long now) {
        forget(now);
        return used;
    }

    @Override
    public void add(double amount, long now) {
        forget(now);
        if (amount > 0) {
            uses.addLast(new Use(now, amount));
            used += amount;
            return;
        }
        double back = -amount;
        for (Use newest = uses.peekLast(); back > 0 && newest != null; newest = uses.peekLast()) {
            uses.removeLast();
            double left = Math.max(0, newest.amount - back);
            back -= newest.amount - left;
            used -= newest.amount - left;
            if (left > 0) {
                uses.addLast(new Use(newest.at, left));
            }
        }
    }

    @Override
    public long untilNanos(double most, long now) {
        double left = used(now);
        for (Use use : uses) {
            if (left <= most) {
                break;
            }
            left -= use.amount;
            if (left <= most) {
                return use.at + window - now;
            }
        }
        return 0;
    }

    @Override
    public long renewalNanos(long now) {
        forget(now);
        Use oldest = uses.peekFirst();
        return oldest == null ? window : oldest.at + window - now;
    }
}
