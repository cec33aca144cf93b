package dev.throttle.lab.server;

/** A server that locks out clients which go on asking after a refusal. */
final class LockingServer extends ServerFilter {

    private static final int FORBIDDEN = 403;
    private static final double LONGEST_NANOS = ServerSpec.LONGEST.toNanos();

    private final Lockout lockout;
    private final long windowNanos;
    /** Refusals in a row. */
    private long refusals;

    private long lockedUntil;
    /** Whether the refusals of the server tell what is left. */
    private boolean tells;

    LockingServer(SimulatedServer server, Lockout lockout, long windowNanos) {
        super(server);
        this.lockout = lockout;
        this.windowNanos = windowNanos;
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
    long awayNanos(long now) {
        return Math.max(0, lockedUntil - now);
    }
}
