package dev.throttle.lease.file;

/**
 * An instant of the store's clock, and what the machine's two clocks showed then. The store's clock goes on with the
 * monotonic one, which all processes of a machine share, so that it does not matter if the other is set.
 *
 * @param store microseconds of the store's clock
 * @param nano the monotonic clock
 * @param wall microseconds of the wall clock
 */
record Mark(long store, long nano, long wall) {

    /** With less than that, the scripts could take an instant for nothing. */
    private static final long EARLIEST = 1_000_000_000_000_000L;
    /**
     * If the wall clock went on by so much more, the machine slept, or was started again, or its clock was set forward.
     */
    private static final long LEAST_SLEEP_MICROS = 10_000_000;
    /** The monotonic clock of two processors may differ by less. */
    private static final long SAME_MICROS = 1_000_000;

    /** {@return the first instant of a store} */
    static Mark first(long nano, long wall) {
        return new Mark(Math.max(EARLIEST, wall), nano, wall);
    }

    /**
     * {@return what comes after it} A monotonic clock that went back is one of another start of the machine: then the
     * wall clock tells how long ago it was. The store's clock never goes back.
     */
    Mark then(long nowNano, long nowWall) {
        long byNano = (nowNano - nano) / 1000;
        long byWall = Math.max(0, nowWall - wall);
        boolean isSameStart = byNano > -SAME_MICROS;
        long passed = isSameStart ? Math.max(0, byNano) : byWall;
        return new Mark(store + (byWall - passed > LEAST_SLEEP_MICROS ? byWall : passed), nowNano, nowWall);
    }
}
