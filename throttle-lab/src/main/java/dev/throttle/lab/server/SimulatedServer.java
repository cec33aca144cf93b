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
     * Answers a request that costs something.
     *
     * @param now when the request arrives
     * @param load what it takes of a server that counts costs
     * @return the answer
     */
    default Answer answer(long now, Load load) {
        return answer(now);
    }

    /**
     * The answer to a request has ended, after its head.
     *
     * @param now the time
     * @param arrivedAt when the request was accepted
     * @param load what it took
     */
    default void ended(long now, long arrivedAt, Load load) {}

    /**
     * {@return the time after which to look again whether a request is accepted; 0 if it is accepted now;
     * {@link Answer#UNKNOWN} if it never will be}
     *
     * @param now the time
     * @param load what it takes of a server that counts costs
     */
    default long waitNanos(long now, Load load) {
        return remaining(now) > 0 ? 0 : resetNanos(now);
    }

    /**
     * {@return how much cost the server could have accepted from its start on; NaN if it has no such limit}
     *
     * @param index the limit, the first one having the index 0
     * @param duration the time since the start, in nanoseconds
     */
    default double grantableCost(int index, long duration) {
        return Double.NaN;
    }

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
