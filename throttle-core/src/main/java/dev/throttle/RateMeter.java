package dev.throttle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Measures how many requests a second leave, over a sliding second of five 200 ms slots, and remembers the last ten
 * seconds.
 *
 * <p>The throttle counts its admissions anyway. The meter only looks at that count when a slot begins, so an admission
 * pays one comparison. The count is handed in truncated to a number of bits; the meter extends it.
 */
final class RateMeter {

    private static final long SLOT_NANOS = 200_000_000;
    private static final int SLOTS_PER_SECOND = 5;
    /** Slots remembered: ten seconds, plus the one that is running. */
    private static final int SLOTS = 51;

    private static final VarHandle ROLLING;

    static {
        try {
            ROLLING = MethodHandles.lookup().findVarHandle(RateMeter.class, "rolling", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** How far a truncated count is shifted to have its sign on top. */
    private final int unusedBits;
    /** Extended count at the beginning of each of the last slots. */
    private final long[] begins = new long[SLOTS];

    private volatile long nextSlotAt;
    /** Which slot runs, counted from the start; written after {@link #begins}, read before. */
    private volatile long slot;

    private volatile long extended;

    @SuppressWarnings("unused") // through ROLLING
    private volatile boolean rolling;

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
        if (!ROLLING.compareAndSet(this, false, true)) {
            return;
        }
        try {
            long total = Math.max(extended, extend(count));
            long slotEnd = nextSlotAt;
            long late = now - slotEnd;
            if (late >= 0) {
                long passed = late / SLOT_NANOS + 1;
                long running = slot + passed;
                for (long i = Math.min(passed, SLOTS) - 1; i >= 0; i--) {
                    begins[(int) ((running - i) % SLOTS)] = total;
                }
                slot = running;
                extended = total;
                nextSlotAt = slotEnd + passed * SLOT_NANOS;
            }
        } finally {
            rolling = false;
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

    /** {@return the admissions since the beginning of the slot a number of slots ago, the running one included} */
    private long admittedInSlots(long now, long count, int slots) {
        if (isDue(now)) {
            roll(now, count);
        }
        long running = slot;
        long begin = begins[(int) (Math.max(0, running - (slots - 1)) % SLOTS)];
        return Math.max(0, extend(count) - begin);
    }

    /** {@return the requests let go in the last second} */
    double perSecond(long now, long count) {
        return admittedInSlots(now, count, SLOTS_PER_SECOND);
    }

    /** {@return the requests let go in the last ten seconds} */
    long inTenSeconds(long now, long count) {
        return admittedInSlots(now, count, SLOTS - 1);
    }
}
