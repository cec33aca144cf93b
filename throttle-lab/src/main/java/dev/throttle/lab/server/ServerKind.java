package dev.throttle.lab.server;

import java.util.Locale;

/** The kinds of simulated servers, by the names of the command line. */
public enum ServerKind {
    /** A bucket that is refilled continuously. */
    GCRA(0),
    /** A bucket into which whole tokens drip. */
    TOKEN_BUCKET(0),
    /** A quota that begins anew with each window. */
    FIXED_WINDOW(1),
    /** A quota for any window of time. */
    SLIDING_WINDOW(0),
    /** A stock that is never refilled. */
    DECREASE_ONLY(1),
    /** A server that answers 503 to what it has no room for. */
    BUSY(1),
    /** A bucket of requests, and limits of what they cost. */
    LLM(1);

    private final int fullAtStart;

    ServerKind(int fullAtStart) {
        this.fullAtStart = fullAtStart;
    }

    /** {@return the name on the command line} */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * {@return what is left at the start unless told otherwise: nothing where it comes back little by little, all where
     * the server would refuse everything for a long time or for ever}
     *
     * @param capacity the capacity
     */
    public long defaultInitial(long capacity) {
        return fullAtStart * capacity;
    }
}
