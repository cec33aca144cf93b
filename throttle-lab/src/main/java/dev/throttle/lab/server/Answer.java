package dev.throttle.lab.server;

/**
 * What a simulated server says to one request.
 *
 * @param status 200, or what the server refuses with
 * @param remaining requests left of the quota after this one; {@link #UNKNOWN} if the server has no quota to tell about
 * @param resetNanos the time until the server grants more; {@link #UNKNOWN} if it never does, or does not tell
 */
public record Answer(int status, long remaining, long resetNanos) {

    /** Stands for what a server does not know or does not tell. */
    public static final long UNKNOWN = -1;

    static final int OK = 200;
    static final int TOO_MANY_REQUESTS = 429;
    static final int SERVICE_UNAVAILABLE = 503;

    /** {@return whether the server did what was asked} */
    public boolean isAccepted() {
        return status == OK;
    }
}
