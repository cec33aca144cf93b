package dev.throttle.lab.server;

/**
 * Has no quota but a speed: it works off the capacity per window, has room for what it does in one second, and answers
 * what does not fit with 503. It knows nothing to tell about a quota.
 */
final class BusyServer implements SimulatedServer {

    private static final double SECOND = 1e9;

    private final double workNanos;
    private final double roomNanos;
    private double freeAt;

    BusyServer(long capacity, long windowNanos) {
        this.workNanos = (double) windowNanos / capacity;
        this.roomNanos = Math.max(SECOND, workNanos);
    }

    @Override
    public Answer answer(long now) {
        boolean accepted = remaining(now) > 0;
        if (accepted) {
            freeAt = Math.max(freeAt, (double) now) + workNanos;
        }
        return new Answer(accepted ? Answer.OK : Answer.SERVICE_UNAVAILABLE, Answer.UNKNOWN, resetNanos(now));
    }

    @Override
    public long resetNanos(long now) {
        double wait = Math.max(freeAt, (double) now) + workNanos - roomNanos - now;
        return (long) Math.ceil(Math.max(0, wait));
    }

    @Override
    public long remaining(long now) {
        return (long) Math.floor((roomNanos - Math.max(0, freeAt - now) + 0.5) / workNanos);
    }

    @Override
    public double grantable(long duration) {
        return Math.floor(roomNanos / workNanos) + Math.floor(duration / workNanos);
    }

    @Override
    public double sustainedPerSecond() {
        return SECOND / workNanos;
    }
}
