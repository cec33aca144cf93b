package dev.throttle.lease;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A few permits that are due, put aside for a moment to be spent without the account's lock. They stay in the account's
 * stock until it takes the pocket back, which it does before it looks at its stock. Thread-safe; filled and emptied
 * under the account's lock.
 */
final class Pocket {

    private final AtomicLong left = new AtomicLong();
    private volatile long until;
    private long filled;

    /** {@return whether so many can be spent now} */
    boolean has(long units, long now) {
        return left.get() >= units && now - until < 0;
    }

    /** Spends; {@return whether there were enough} */
    boolean spend(long units, long now) {
        long there = left.get();
        while (there >= units && now - until < 0) {
            if (left.compareAndSet(there, there - units)) {
                return true;
            }
            there = left.get();
        }
        return false;
    }

    /** Puts permits aside, to be spent before an instant. It must be empty. */
    void fill(long units, long before) {
        filled = units;
        until = before;
        left.set(units);
    }

    /** Empties it; {@return how many were spent} */
    long empty() {
        long spent = filled - left.getAndSet(0);
        filled = 0;
        return spent;
    }

    /** {@return until when the last ones may have been spent} */
    long until() {
        return until;
    }
}
