package dev.throttle.lab.server;

/**
 * A server with a limit. It has no clock: times are nanoseconds since its start, which never go back. Not thread-safe.
 */
public interface SimulatedServer {

    /**
     * Answers a request.
     *
     * @param now when the request arrives
     * @return the answer
     */
    Answer answer(long now);

    /**
     * {@return how many requests would be accepted if they came now}
     *
     * @param now the time
     */
    long remaining(long now);

    /**
     * {@return the time until the server grants more; {@link Answer#UNKNOWN} if it never does}
     *
     * @param now the time
     */
    long resetNanos(long now);

    /**
     * {@return how many requests the server could have accepted from its start on, had they come at the best times}
     *
     * @param duration the time since the start, in nanoseconds
     */
    double grantable(long duration);

    /** {@return requests per second that the server can accept for ever; NaN if it does not work like that} */
    double sustainedPerSecond();
}
