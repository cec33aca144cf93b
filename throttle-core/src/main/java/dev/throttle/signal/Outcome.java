package dev.throttle.signal;

/** How an attempt ended, as the throttle sees it. */
public enum Outcome {
    /** The server accepted the request, whatever it answered. */
    SUCCESS,
    /** The server refused because a quota is used up, typically 429: this key must slow down. */
    RATE_LIMITED,
    /** The server refused because it is overloaded, typically 503: the host needs relief. */
    BUSY,
    /**
     * The server refused in a way that waiting cannot mend, such as for an account without money: an answer to the
     * caller, which slows nobody down.
     */
    DENIED,
    /** No usable answer came: connection refused or reset, time-out, protocol error. */
    FAILED,
    /** The request did not count at the server: it was never sent, or a cache answered it. */
    IGNORED,
    /** The caller gave the request up on its way, so its end says nothing about the server. */
    CANCELLED;

    /** {@return whether the server refused for now: {@link #RATE_LIMITED} or {@link #BUSY}} */
    public boolean isRefusal() {
        return this == RATE_LIMITED || this == BUSY;
    }
}
