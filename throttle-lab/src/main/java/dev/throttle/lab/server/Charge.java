package dev.throttle.lab.server;

/** When a server that counts costs books what a call takes. */
public enum Charge {
    /** The truth, when the request arrives: one that does not fit is refused. */
    ARRIVAL,
    /** What the client says when the request arrives; the truth when the answer ends. */
    HELD,
    /** The truth, when the answer ends. A request is accepted if anything is left. */
    END
}
