package dev.throttle.lab.server;

/** The kinds of simulated servers, by the names of the command line. */
public enum ServerKind {
    /** A bucket that is refilled continuously. */
    GCRA(0, true),
    /** A bucket into which whole tokens drip. */
    TOKEN_BUCKET(0, true),
    /** A quota that begins anew with each window. */
    FIXED_WINDOW(1, true),
    /** A quota for any window of time. */
    SLIDING_WINDOW(0, true),
    /** A stock that is never refilled. */
    DECREASE_ONLY(1, true),
    /** A server that answers 503 to what it has no room for. */
    BUSY(1, true),
    /** A bucket of requests, and limits of what they cost. */
    LLM(1, false),
    /** A rate with a burst, as nginx limits it. */
    NGINX_LIMIT_REQ(1, false),
    /** An estimate of a sliding window, as HAProxy keeps it. */
    HAPROXY_RATE(1, false),
    /** A sliding window whose refusals block, as of NestJS. */
    NEST_THROTTLER(1, false),
    /** A bucket that is refilled once a whole second, as of Spring Cloud Gateway. */
    SECOND_BUCKET(1, true),
    /** A bucket that is refilled all at once, as of Bucket4j. */
    INTERVAL_BUCKET(1, true),
    /** A bucket that loses fractions of tokens, as of Varnish. */
    VSTHROTTLE(1, true),
    /** A limit of requests at a time. */
    CONCURRENCY(1, false),
    /** A quota for each connection. */
    PER_CONNECTION(1, false);

    private final int fullAtStart;
    private final boolean plain;

    ServerKind(int fullAtStart, boolean plain) {
        this.fullAtStart = fullAtStart;
        this.plain = plain;
    }

    /**
     * {@return what is left at the start unless told otherwise: nothing where it comes back little by little, all where
     * the server would refuse everything for a long time or for ever, or where the product begins like that}
     *
     * @param capacity the capacity
     */
    public long defaultInitial(long capacity) {
        return fullAtStart * capacity;
    }

    /**
     * {@return whether it is a quota of which nothing matters but how much is left} Only these may be combined with
     * heavy requests, with a second limit, and with changes of the capacity.
     */
    boolean isPlain() {
        return plain;
    }
}
