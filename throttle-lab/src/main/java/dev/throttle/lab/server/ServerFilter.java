package dev.throttle.lab.server;

/** A server in front of another one, which it asks for whatever it does not decide itself. */
abstract class ServerFilter implements SimulatedServer {

    protected final SimulatedServer server;

    ServerFilter(SimulatedServer server) {
        this.server = server;
    }

    @Override
    public Answer answer(long now) {
        return answer(now, Load.NONE);
    }

    @Override
    public abstract Answer answer(long now, Load load);

    @Override
    public void ended(long now, long arrivedAt, Load load) {
        server.ended(now, arrivedAt, load);
    }

    /** {@return how long it answers nothing, or refuses everything; 0 if it does not} */
    abstract long awayNanos(long now);

    @Override
    public long waitNanos(long now, Load load) {
        long away = awayNanos(now);
        return away > 0 ? away : server.waitNanos(now, load);
    }

    @Override
    public long remaining(long now) {
        return awayNanos(now) > 0 ? 0 : server.remaining(now);
    }

    @Override
    public long resetNanos(long now) {
        long away = awayNanos(now);
        return away > 0 ? away : server.resetNanos(now);
    }

    @Override
    public double grantable(long duration) {
        return server.grantable(duration);
    }

    @Override
    public double grantableCost(int index, long duration) {
        return server.grantableCost(index, duration);
    }

    @Override
    public double sustainedPerSecond() {
        return server.sustainedPerSecond();
    }
}
