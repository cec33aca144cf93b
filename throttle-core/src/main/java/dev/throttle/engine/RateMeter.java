package dev.throttle.engine;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Measures how many requests left in the last second, in slots of 10 ms, and in the last ten, in slots of 200 ms.
 *
 * <p>The throttle counts its admissions anyway. The meter only looks at that count when a slot begins, so an admission
 * pays one comparison. The count is handed in truncated to a number of bits; the meter extends it.
 */
final class RateMeter {

    private static final long SLOT_NANOS = 10_000_000;
    private static final int SLOTS = 100;
    /** So many slots make one of those that the ten seconds are counted in. */
    private static final int SLOTS_OF_LONG_ONE = 20;

    private static final int LONG_SLOTS = 50;

    /** How far a truncated count is shifted to have its sign on top. */
    private final int unusedBits;
    /** The count at the beginning of each of the last slots, in its lower bits: only differences matter. */
    private final int[] begins = new int[SLOTS];

    private final int[] longBegins = new int[LONG_SLOTS];

    private volatile long nextSlotAt;
    /** Which slot runs, counted from the start; written after {@link #begins}, read before. */
    private volatile long slot;

    private volatile long extended;

    /** Only the thread that has set it writes to the slots. */
    private final AtomicBoolean rolling = new AtomicBoolean();

    RateMeter(long now, int countBits) {
        unusedBits = Long.SIZE - countBits;
        nextSlotAt = now + SLOT_NANOS;
    }

    /** {@return whether a slot has ended, so that {@link #roll} is due} */
    boolean isDue(long now) {
        return now - nextSlotAt >= 0;
    }

    /**
     * Begins the slots that are due. One thread does it, others pass by.
     *
     * @param now the time
     * @param count the count of admissions so far, truncated
     */
    void roll(long now, long count) {
        if (!rolling.compareAndSet(false, true)) {
            return;
        }
        try {
            long total = Math.max(extended, extend(count));
            long slotEnd = nextSlotAt;
            long late = now - slotEnd;
            if (late >= 0) {
                long passed = late / SLOT_NANOS + 1;
                long running = slot + passed;
                fill(begins, slot, running, (int) total);
                fill(longBegins, slot / SLOTS_OF_LONG_ONE, running / SLOTS_OF_LONG_ONE, (int) total);
                slot = running;
                extended = total;
                nextSlotAt = slotEnd + passed * SLOT_NANOS;
            }
        } finally {
            rolling.set(false);
        }
    }

    /**
     * {@return the count of admissions in full length}
     *
     * @param count truncated; it may be a little older than the last one seen here, as threads overtake each other
     */
    long extend(long count) {
        long last = extended;
        return last + (((count - last) << unusedBits) >> unusedBits);
    }

    /**
     * Counts a request no more that was not sent. Where threads meet, a rate may be wrong by one until the slot is out
     * of it.
     *
     * @param admittedAt when it was admitted
     */
    void takeBack(long admittedAt) {
        if (admittedAt - (nextSlotAt - SLOT_NANOS) >= 0) {
            return; // in the slot that runs: only its end will be looked at
        }
        while (!rolling.compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
        try {
            long running = slot;
            long passed = (nextSlotAt - admittedAt - 1) / SLOT_NANOS;
            if (passed > 0) {
                decrement(begins, running - passed, running);
                decrement(longBegins, (running - passed) / SLOTS_OF_LONG_ONE, running / SLOTS_OF_LONG_ONE);
                long total = extended; // written by one thread at a time
                extended = total - 1;
            }
        } finally {
            rolling.set(false);
        }
    }

    private static void decrement(int[] slots, long before, long running) {
        for (long i = Math.max(before, running - slots.length) + 1; i <= running; i++) {
            slots[(int) (i % slots.length)]--;
        }
    }

    private static void fill(int[] slots, long before, long running, int total) {
        for (long i = Math.max(before, running - slots.length) + 1; i <= running; i++) {
            slots[(int) (i % slots.length)] = total;
        }
    }

    /** {@return the requests let go in the last second} */
    double perSecond(long now, long count) {
        rollIfDue(now, count);
        return since(begins, slot, count);
    }

    /** {@return the requests let go in the last ten seconds} */
    long inTenSeconds(long now, long count) {
        rollIfDue(now, count);
        return since(longBegins, slot / SLOTS_OF_LONG_ONE, count);
    }

    private long since(int[] slots, long running, long count) {
        int begin = slots[(int) (Math.max(0, running - (slots.length - 1)) % slots.length)];
        return Math.max(0, (int) extend(count) - begin);
    }

    private void rollIfDue(long now, long count) {
        if (isDue(now)) {
            roll(now, count);
        }
    }
}
