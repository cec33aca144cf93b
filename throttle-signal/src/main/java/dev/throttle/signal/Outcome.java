package dev.throttle.signal;

/** The outcome of an attempt, as the throttle sees it. */
public enum Outcome {
    /** The server accepted the request, whatever its response says. */
    SUCCESS,
    /** The server refused the request because a quota is used up, typically with 429. The key must slow down. */
    RATE_LIMITED,
    /** The server refused the request because it is overloaded, typically with 503. */
    BUSY,
    /**
     * The server refused the request for a reason that waiting does not remove, such as an account without credit. The
     * caller receives the response, and no other call is slowed down.
     */
    DENIED,
    /**
     * The server gave no answer, and may give one later: the connection was refused, or reset before any byte of an
     * answer, or a gateway says that it could not reach the server (502 and 504).
     */
    UNREACHABLE,
    /** No usable response arrived for another reason: a timeout, a protocol error, an unknown host. */
    FAILED,
    /** The server did not count the request: it was never sent, or a cache answered it. */
    IGNORED,
    /** The caller cancelled the request in flight, so its end says nothing about the server. */
    CANCELLED;

    /** {@return whether no answer of the server arrived: {@link #UNREACHABLE} or {@link #FAILED}} */
    public boolean isFault() {
        return this == UNREACHABLE || this == FAILED;
    }

    /**
     * {@return whether the same request may be served later: a {@linkplain #isRefusal refusal}, or
     * {@link #UNREACHABLE}}
     */
    public boolean isTransient() {
        return isRefusal() || this == UNREACHABLE;
    }

    /** {@return whether the server refused temporarily: {@link #RATE_LIMITED} or {@link #BUSY}} */
    public boolean isRefusal() {
        return this == RATE_LIMITED || this == BUSY;
    }
}
