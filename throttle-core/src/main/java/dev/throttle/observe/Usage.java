package dev.throttle.observe;

/** How much of a limit is in use, by the law of one kind of limit. Times never go back. One thread uses it. */
interface Usage {

    /** {@return how much is in use} */
    double used(long now);

    /** Something is used, or given back if the amount is negative. */
    void add(double amount, long now);

    /**
     * {@return how long it is until no more than so much is in use, were nothing added; 0 if that is so now}
     *
     * @param most at least 0
     */
    long untilNanos(double most, long now);

    /** {@return how long it is until the limit is renewed: until all that is in use has come back} */
    long renewalNanos(long now);
}
