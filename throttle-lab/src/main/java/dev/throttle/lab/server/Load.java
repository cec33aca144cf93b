package dev.throttle.lab.server;

/**
 * What a call takes of a server that counts costs.
 *
 * @param tokens what it takes of the first limit of costs, in truth
 * @param output what it takes of the second one, in truth; 0 if there is none
 * @param told how many times the truth the client says that it takes; 1 if it says nothing
 * @param streamed whether the end of the answer comes later than its head
 * @param route which of the named limits of a server counts it
 * @param connection over which connection it comes; {@link #ANY} for whichever has room
 */
public record Load(long tokens, long output, double told, boolean streamed, int route, int connection) {

    /** No connection in particular. */
    static final int ANY = -1;

    /** A call of a server with one limit of requests. */
    public Load(long tokens, long output, double told, boolean streamed) {
        this(tokens, output, told, streamed, 0, ANY);
    }

    /** A call that costs nothing but a request. */
    public static final Load NONE = new Load(0, 0, 1, false);

    /** {@return the same on another route} */
    public Load on(int value) {
        return value == route ? this : new Load(tokens, output, told, streamed, value, connection);
    }

    /** {@return the same over a connection} */
    public Load over(int value) {
        return new Load(tokens, output, told, streamed, route, value);
    }

    /** {@return what it takes in truth of a limit, the first having the index 0} */
    long truth(int index) {
        return index == 0 ? tokens : output;
    }

    /** {@return what the client says that it takes of a limit} */
    long held(int index) {
        return told(truth(index), told);
    }

    /**
     * {@return an amount as a client tells it}
     *
     * @param truth the amount
     * @param factor how many times as much the client tells
     */
    public static long told(long truth, double factor) {
        return truth == 0 ? 0 : Math.max(1, Math.round(truth * factor));
    }
}
