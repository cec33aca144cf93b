package dev.throttle.lab.torture;

/** Makes one call. */
interface Caller {

    /** {@return how the call ended, when it has} */
    Ending run();

    /** Cancels the call, if it is of the kind that can be. Callable by any thread. */
    void cancel();

    /** {@return how often the call has ended so far} */
    int endings();
}
