package dev.throttle.signal.header;

/** Times in milliseconds, as all readers of this package return them. */
public final class Millis {

    /** What a reader returns for text it does not understand. */
    public static final long NONE = Long.MIN_VALUE;

    /** The longest time that is told apart from a longer one: 2^31 seconds, as HTTP caches do it. */
    static final long MAX = (1L << 31) * 1000;

    static final long PER_SECOND = 1000;

    /** What a time in whole seconds leaves out at most. */
    static final long LAST_OF_SECOND = PER_SECOND - 1;

    private Millis() {}

    /** {@return a time between 0 and {@link #MAX}} */
    static long bounded(long millis) {
        return Math.max(0, Math.min(millis, MAX));
    }
}
