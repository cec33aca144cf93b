package dev.throttle.lab.server;

/** Has a stock that is never refilled. */
final class DecreaseOnly implements SimulatedServer {

    private final long initial;
    private long left;

    DecreaseOnly(long initial) {
        this.initial = initial;
        this.left = initial;
    }

    @Override
    public Answer answer(long now) {
        boolean accepted = left > 0;
        if (accepted) {
            left--;
        }
        return new Answer(accepted ? Answer.OK : Answer.TOO_MANY_REQUESTS, left, Answer.UNKNOWN);
    }

    @Override
    public long remaining(long now) {
        return left;
    }

    @Override
    public long resetNanos(long now) {
        return Answer.UNKNOWN;
    }

    @Override
    public double grantable(long duration) {
        return initial;
    }

    @Override
    public double sustainedPerSecond() {
        return Double.NaN;
    }
}
