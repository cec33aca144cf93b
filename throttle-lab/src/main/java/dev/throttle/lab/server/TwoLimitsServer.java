package dev.throttle.lab.server;

/** A server with two limits, both of which have to have room for a request. */
final class TwoLimitsServer implements SimulatedServer {

    private final SimulatedServer first;
    private final SimulatedServer second;
    private final SecondLimit limit;

    TwoLimitsServer(SimulatedServer first, SimulatedServer second, SecondLimit limit) {
        this.first = first;
        this.second = second;
        this.limit = limit;
    }

    @Override
    public Answer answer(long now) {
        Answer own;
        Answer other;
        if (remaining(now) > 0) {
            own = first.answer(now);
            other = second.answer(now);
        } else {
            own = new Answer(Answer.TOO_MANY_REQUESTS, first.remaining(now), first.resetNanos(now))
                    .refusedFor(resetNanos(now));
            other = new Answer(Answer.TOO_MANY_REQUESTS, second.remaining(now), second.resetNanos(now));
        }
        return switch (limit.shown()) {
            case ALWAYS -> own.and(other);
            case REFUSALS -> other.remaining() == 0 && !own.isAccepted() ? other.limit(limit.capacity()) : own;
            case HIDDEN -> own;
        };
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
