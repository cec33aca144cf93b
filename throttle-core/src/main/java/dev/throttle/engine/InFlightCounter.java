package dev.throttle.engine;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the requests of one key, in one word: those on the wire, the admissions so far, and a flag that says that
 * admissions need thought. While the flag is down an admission costs one compare-and-set, and so does an end. While it
 * is up a request is on the wire until the controllers were told of its end. Thread-safe, without lock.
 */
final class InFlightCounter {

    private static final long SLOW = 1;
    private static final long RETIRED = 2;
    private static final long IN_FLIGHT_ONE = 4;
    private static final int IN_FLIGHT_SHIFT = 2;
    private static final long IN_FLIGHT_MASK = (1L << 24) - 1;
    /** The count of admissions is on top, where it may run over without harm. */
    private static final int ADMITTED_SHIFT = 26;

    private static final long ADMISSION = (1L << ADMITTED_SHIFT) + IN_FLIGHT_ONE;

    private final AtomicLong state = new AtomicLong();
    private final RateMeter meter;

    InFlightCounter(long now) {
        meter = new RateMeter(now, Long.SIZE - ADMITTED_SHIFT);
    }

    /** Admits a request unless admissions need thought. */
    boolean tryAdmit(long now) {
        return tryAdmit(now, Integer.MAX_VALUE);
    }

    /** Admits a request unless admissions need thought, or so many are on the wire. */
    boolean tryAdmit(long now, int most) {
        while (true) {
            long current = state.get();
            if ((current & SLOW) != 0 || inFlight(current) >= most) {
                return false;
            }
            if (admitFrom(current, now)) {
                return true;
            }
        }
    }

    /** Admits a request that was thought about. */
    void admit(long now) {
        while (!admitFrom(state.get(), now)) {
            Thread.onSpinWait();
        }
    }

    private boolean admitFrom(long current, long now) {
        if (!state.compareAndSet(current, current + ADMISSION)) {
            return false;
        }
        if (meter.isDue(now)) {
            meter.roll(now, current >>> ADMITTED_SHIFT);
        }
        return true;
    }

    /**
     * Ends a request unless admissions need thought, in which case the controllers have to learn of the end.
     *
     * @return whether it has ended
     */
    boolean tryEnd() {
        return trySubtract(IN_FLIGHT_ONE);
    }

    /** Ends a request of which the controllers learn now; called under the engine's lock. */
    void end() {
        state.getAndAdd(-IN_FLIGHT_ONE);
    }

    /**
     * Takes an admission back because its request was not sent, unless admissions need thought. It then counts in no
     * rate any more.
     *
     * @return whether it was taken back
     */
    boolean tryTakeBack(long admittedAt) {
        boolean takenBack = trySubtract(ADMISSION);
        if (takenBack) {
            meter.takeBack(admittedAt);
        }
        return takenBack;
    }

    /** Takes an admission back, as the controllers learn now; called under the engine's lock. */
    void takeBack(long admittedAt) {
        state.getAndAdd(-ADMISSION);
        meter.takeBack(admittedAt);
    }

    private boolean trySubtract(long amount) {
        long current = state.get();
        while ((current & SLOW) == 0) {
            if (state.compareAndSet(current, current - amount)) {
                return true;
            }
            current = state.get();
        }
        return false;
    }

    /** Raises or lowers the flag; called under the engine's lock. */
    void setSlow(boolean slow) {
        long current = state.get();
        while ((current & RETIRED) == 0
                && ((current & SLOW) != 0) != slow
                && !state.compareAndSet(current, current ^ SLOW)) {
            current = state.get();
        }
    }

    /** Refuses all further admissions for good, unless a request is on the wire. */
    boolean tryRetire() {
        long current = state.get();
        while (inFlight(current) == 0) {
            if (state.compareAndSet(current, current | SLOW | RETIRED)) {
                return true;
            }
            current = state.get();
        }
        return false;
    }

    boolean isRetired() {
        return (state.get() & RETIRED) != 0;
    }

    int inFlight() {
        return inFlight(state.get());
    }

    private static int inFlight(long state) {
        return (int) (state >>> IN_FLIGHT_SHIFT & IN_FLIGHT_MASK);
    }

    /** {@return all admissions so far that were not taken back} */
    long admitted() {
        return meter.extend(state.get() >>> ADMITTED_SHIFT);
    }

    /** {@return all requests that have ended so far, without those that were not sent} */
    long ended() {
        long current = state.get();
        return meter.extend(current >>> ADMITTED_SHIFT) - inFlight(current);
    }

    double perSecond(long now) {
        return meter.perSecond(now, state.get() >>> ADMITTED_SHIFT);
    }

    long inTenSeconds(long now) {
        return meter.inTenSeconds(now, state.get() >>> ADMITTED_SHIFT);
    }
}
