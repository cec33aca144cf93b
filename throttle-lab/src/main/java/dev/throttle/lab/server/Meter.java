package dev.throttle.lab.server;

/** A limit of which calls take any amount. Times are nanoseconds since the start, which never go back. */
interface Meter {

    /** {@return the most that it ever holds} */
    long capacity();

    /** {@return what is left; negative if more was booked than there was} */
    double left(long now);

    /** Books an amount. */
    void take(long now, long amount);

    /** Books the difference between the truth and what was booked at an earlier time; negative if that was too much. */
    void correct(long now, long bookedAt, long difference);

    /** {@return the time until an amount, at most the capacity, is left} */
    long waitNanos(long now, long amount);

    /** {@return the time until all is there again} */
    long resetNanos(long now);

    /** {@return how much it could have granted from the start on} */
    double grantable(long duration);

    /** {@return what is left in whole units, not negative} */
    default long remaining(long now) {
        return (long) Math.max(0, Math.floor(left(now) + 1e-6));
    }
}
