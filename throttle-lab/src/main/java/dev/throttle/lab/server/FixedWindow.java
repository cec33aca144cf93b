package dev.throttle.lab.server;

/** Grants the whole capacity anew in each window. */
final class FixedWindow implements SimulatedServer {

    private final MeterWindow requests;

    FixedWindow(long capacity, long windowNanos, long initial, long phaseNanos, WindowStart start) {
        this.requests = new MeterWindow(capacity, windowNanos, initial, phaseNanos, start);
    }

    @Override
    public Answer answer(long now) {
        boolean accepted = remaining(now) > 0;
        if (accepted) {
            requests.take(now, 1);
        }
        return new Answer(accepted ? Answer.OK : Answer.TOO_MANY_REQUESTS, remaining(now), resetNanos(now));
    }

    @Override
    public long resetNanos(long now) {
        return requests.resetNanos(now);
    }

    @Override
    public long remaining(long now) {
        return requests.remaining(now);
    }

    @Override
    public double grantable(long duration) {
        return requests.grantable(duration);
    }

    @Override
    public double sustainedPerSecond() {
        return Double.NaN;
    }
}
