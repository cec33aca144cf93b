package dev.throttle.lab.sim;

/** What was seen of the calls of one route of a process. */
final class RouteRecord {

    private long accepted;
    private long refused;
    private long doneAt = Long.MAX_VALUE;

    void answered(boolean isAccepted) {
        accepted += isAccepted ? 1 : 0;
        refused += isAccepted ? 0 : 1;
    }

    /** All its calls have been answered with 200. */
    void done(long now) {
        doneAt = now;
    }

    long accepted() {
        return accepted;
    }

    long refused() {
        return refused;
    }

    /** {@return when all its calls had been answered; {@link Long#MAX_VALUE} if they have not} */
    long doneAt() {
        return doneAt;
    }
}
