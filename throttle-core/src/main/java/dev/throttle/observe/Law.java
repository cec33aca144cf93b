package dev.throttle.observe;

/**
 * The law by which a limit comes back.
 *
 * @param kind the kind of limit
 * @param window its window in nanoseconds; of a bucket the time in which one unit comes back
 * @param phase when one of the windows begins, of {@link Kind#FIXED_WINDOW} alone
 */
record Law(Kind kind, double window, long phase) {

    /** The kinds of limits that are told apart. */
    enum Kind {
        /** Windows that follow each other. */
        FIXED_WINDOW("fixed window"),
        /** Windows that begin with the first request after the last one. */
        WINDOW_FROM_REQUEST("window from the first request"),
        /** Each request comes back after a window. */
        SLIDING_WINDOW("sliding window"),
        /** Comes back evenly. */
        BUCKET("bucket");

        final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    /** {@return a limit of which nothing is in use} */
    Usage start() {
        return switch (kind) {
            case FIXED_WINDOW -> new WindowUsage((long) window, phase, false);
            case WINDOW_FROM_REQUEST -> new WindowUsage((long) window, 0, true);
            case SLIDING_WINDOW -> new SlidingUsage((long) window);
            case BUCKET -> new BucketUsage(1 / window);
        };
    }

    Law withWindow(double other) {
        return new Law(kind, other, phase);
    }

    Law withPhase(long other) {
        return new Law(kind, window, other);
    }
}
