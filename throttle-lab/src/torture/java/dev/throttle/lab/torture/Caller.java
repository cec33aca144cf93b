package dev.throttle.lab.torture;

/** Makes one call. */
interface Caller {

    /** {@return how the call ended, when it has} */
    Ending run();

    /** Cancels the call, if it is of the kind that can be. Callable by any thread. */
    void cancel();

    /** {@return how often the call has ended so far} */
    int endings();

    /**
     * Ends a call that has not ended for long, if its client is known to lose such calls by itself.
     *
     * @param caller where its caller is
     * @return whether that was so; at most once
     */
    default boolean letGo(StackTraceElement[] caller) {
        return false;
    }

    /** {@return whether the call ended in a way after which its client, if bare, may count it as under way for ever} */
    default boolean mayKeepItsClient() {
        return false;
    }
}
