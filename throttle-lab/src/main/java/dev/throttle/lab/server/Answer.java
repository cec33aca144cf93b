package dev.throttle.lab.server;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a simulated server says to one request.
 *
 * @param status 200, or what the server refuses with, or {@link #REFUSED}
 * @param remaining requests left of the quota after this one; {@link #UNKNOWN} if the server has no quota to tell about
 * @param resetNanos the time until the server grants more; {@link #UNKNOWN} if it never does, or does not tell
 * @param limit the quota in force; {@link #UNKNOWN} for the capacity that the server began with
 * @param retryAfterNanos what the server asks the client to wait, whatever its settings; {@link #UNKNOWN} for nothing
 * @param blockedNanos the time until it accepts a request again, if that is not the reset; otherwise {@link #UNKNOWN}
 * @param other what it tells about a second limit; null if nothing
 * @param limits what a server that counts costs knows of each of its limits; empty for other servers
 * @param heldNanos the time from the arrival of an accepted request until its answer leaves
 */
public record Answer(
        int status,
        long remaining,
        long resetNanos,
        long limit,
        long retryAfterNanos,
        long blockedNanos,
        @Nullable Answer other,
        List<Told> limits,
        long heldNanos) {

    /** Stands for what a server does not know or does not tell. */
    public static final long UNKNOWN = -1;

    /** In place of the wait: no {@code Retry-After}, also where a refusal would have one. */
    static final long NOTHING = -2;

    /** In place of a status: the connection was refused, so there is no answer at all. */
    public static final int REFUSED = 0;

    static final int OK = 200;
    static final int TOO_MANY_REQUESTS = 429;
    static final int BAD_GATEWAY = 502;
    static final int SERVICE_UNAVAILABLE = 503;

    /** An answer of a server whose quota is its capacity. */
    public Answer(int status, long remaining, long resetNanos) {
        this(status, remaining, resetNanos, UNKNOWN, UNKNOWN, UNKNOWN, null, List.of(), 0);
    }

    /** {@return whether the server did what was asked} */
    public boolean isAccepted() {
        return status == OK;
    }

    /** {@return whether there was no connection} */
    public boolean isConnectionRefused() {
        return status == REFUSED;
    }

    Answer remaining(long value) {
        return new Answer(status, value, resetNanos, limit, retryAfterNanos, blockedNanos, other, limits, heldNanos);
    }

    Answer reset(long nanos) {
        return new Answer(status, remaining, nanos, limit, retryAfterNanos, blockedNanos, other, limits, heldNanos);
    }

    Answer limit(long value) {
        return new Answer(
                status, remaining, resetNanos, value, retryAfterNanos, blockedNanos, other, limits, heldNanos);
    }

    /** A refusal that gives no reason and no time. */
    Answer unexplained() {
        return retryAfter(NOTHING);
    }

    Answer retryAfter(long nanos) {
        return new Answer(status, remaining, resetNanos, limit, nanos, blockedNanos, other, limits, heldNanos);
    }

    Answer refusedFor(long nanos) {
        return new Answer(status, remaining, resetNanos, limit, retryAfterNanos, nanos, other, limits, heldNanos);
    }

    Answer and(Answer second) {
        return new Answer(
                status, remaining, resetNanos, limit, retryAfterNanos, blockedNanos, second, limits, heldNanos);
    }

    Answer telling(List<Told> told) {
        return new Answer(
                status,
                remaining,
                resetNanos,
                limit,
                retryAfterNanos,
                blockedNanos,
                other,
                List.copyOf(told),
                heldNanos);
    }

    Answer status(int value) {
        return new Answer(value, remaining, resetNanos, limit, retryAfterNanos, blockedNanos, other, limits, heldNanos);
    }

    Answer heldFor(long nanos) {
        return new Answer(status, remaining, resetNanos, limit, retryAfterNanos, blockedNanos, other, limits, nanos);
    }
}
