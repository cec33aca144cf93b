package dev.throttle.lab.server;

import java.util.List;

/** A server with several quotas, each of which counts other calls. */
final class NamedLimitsServer implements SimulatedServer {

    private final List<NamedLimit> limits;
    private final List<FixedWindow> windows;

    NamedLimitsServer(List<NamedLimit> limits) {
        this.limits = limits;
        this.windows = limits.stream()
                .map(limit -> new FixedWindow(
                        limit.capacity(), limit.window().toNanos(), limit.capacity(), 0, WindowStart.GRID))
                .toList();
    }

    @Override
    public Answer answer(long now) {
        return answer(now, Load.NONE);
    }

    @Override
    public Answer answer(long now, Load load) {
        NamedLimit limit = limits.get(load.route());
        Answer answer = windows.get(load.route()).answer(now);
        return answer.telling(
                List.of(new Told(limit.name(), limit.capacity(), answer.remaining(), answer.resetNanos())));
    }

    @Override
    public long waitNanos(long now, Load load) {
        return windows.get(load.route()).waitNanos(now, load);
    }

    @Override
    public long remaining(long now) {
        return windows.stream().mapToLong(window -> window.remaining(now)).sum();
    }

    @Override
    public long resetNanos(long now) {
        return windows.stream()
                .mapToLong(window -> window.resetNanos(now))
                .min()
                .orElse(0);
    }

    @Override
    public double grantable(long duration) {
        return windows.stream()
                .mapToDouble(window -> window.grantable(duration))
                .sum();
    }

    @Override
    public double sustainedPerSecond() {
        return Double.NaN;
    }
}
