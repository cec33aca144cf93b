package dev.throttle.lab.server;

/** A server that locks out clients which go on asking after a refusal. */
final class LockingServer implements SimulatedServer {

    private static final int FORBIDDEN = 403;
    private static final double LONGEST_NANOS = ServerSpec.LONGEST.toNanos();

    private final SimulatedServer server;
    private final Lockout lockout;
    private final long windowNanos;
    /** Refusals in a row. */
    private long refusals;

    private long lockedUntil;
    /** Whether the refusals of the server tell what is left. */
    private boolean tells;

    LockingServer(SimulatedServer server, Lockout lockout, long windowNanos) {
        this.server = server;
        this.lockout = lockout;
        this.windowNanos = windowNanos;
    }

    @Override
    public Answer answer(long now) {
        return answer(now, Load.NONE);
    }

    @Override
    public Answer answer(long now, Load load) {
        if (now < lockedUntil) {
            return locked(now);
        }
        if (lockout.doubles()) {
            refusals = 0;
        }
        Answer answer = server.answer(now, load);
        if (answer.isAccepted()) {
            refusals = 0;
            return answer;
        }
        if (lockout.doubles()) {
            tells = answer.remaining() != Answer.UNKNOWN;
            return locked(now);
        }
        refusals++;
        return refusals > lockout.bansAfter() ? answer.status(FORBIDDEN) : answer;
    }

    private Answer locked(long now) {
        long doublings = Math.min(refusals, Long.SIZE - 1);
        refusals++;
        double length = Math.scalb((double) windowNanos, (int) doublings);
        lockedUntil = now + (long) Math.min(length, LONGEST_NANOS);
        return new Answer(Answer.TOO_MANY_REQUESTS, tells ? 0 : Answer.UNKNOWN, lockedUntil - now);
    }

    @Override
    public void ended(long now, long arrivedAt, Load load) {
        server.ended(now, arrivedAt, load);
    }

    @Override
    public long waitNanos(long now, Load load) {
        return now < lockedUntil ? lockedUntil - now : server.waitNanos(now, load);
    }

    @Override
    public double grantableCost(int index, long duration) {
        return server.grantableCost(index, duration);
    }

    @Override
    public long remaining(long now) {
        return now < lockedUntil ? 0 : server.remaining(now);
    }

    @Override
    public long resetNanos(long now) {
        return now < lockedUntil ? lockedUntil - now : server.resetNanos(now);
    }

    @Override
    public double grantable(long duration) {
        return server.grantable(duration);
    }

    @Override
    public double sustainedPerSecond() {
        return server.sustainedPerSecond();
    }
}
