package dev.throttle.lab.server;

/** A server with two limits, both of which have to have room for a request. */
final class TwoLimitsServer implements SimulatedServer {

    private final SimulatedServer first;
    private final SimulatedServer second;
    private final boolean told;

    TwoLimitsServer(SimulatedServer first, SimulatedServer second, boolean told) {
        this.first = first;
        this.second = second;
        this.told = told;
    }

    @Override
    public Answer answer(long now) {
        boolean accepted = remaining(now) > 0;
        Answer answer;
        if (accepted) {
            Answer own = first.answer(now);
            Answer other = second.answer(now);
            answer = told ? own.and(other) : own;
        } else {
            Answer other = new Answer(Answer.TOO_MANY_REQUESTS, second.remaining(now), second.resetNanos(now));
            Answer own = new Answer(Answer.TOO_MANY_REQUESTS, first.remaining(now), first.resetNanos(now))
                    .refusedFor(resetNanos(now));
            answer = told ? own.and(other) : own;
        }
        return answer;
    }

    @Override
    public long remaining(long now) {
        return Math.min(first.remaining(now), second.remaining(now));
    }

    /** Until both have room. */
    @Override
    public long resetNanos(long now) {
        long own = first.remaining(now) > 0 ? 0 : first.resetNanos(now);
        long other = second.remaining(now) > 0 ? 0 : second.resetNanos(now);
        if (own == Answer.UNKNOWN || other == Answer.UNKNOWN) {
            return Answer.UNKNOWN;
        }
        return own == 0 && other == 0 ? first.resetNanos(now) : Math.max(own, other);
    }

    @Override
    public double grantable(long duration) {
        return Math.min(first.grantable(duration), second.grantable(duration));
    }

    @Override
    public double sustainedPerSecond() {
        return Math.min(first.sustainedPerSecond(), second.sustainedPerSecond());
    }
}
