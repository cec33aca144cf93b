package dev.throttle.lab.server;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * A limit for each connection: a window of its own, which begins with the first request after the end of its last one.
 * A refusal tells nothing of the other connections, nor do headers. A request that says over which connection it comes
 * counts there. One that does not takes the connection with the most room.
 */
final class PerConnection implements SimulatedServer {

    private final long capacity;
    private final long windowNanos;
    private final Map<Integer, FixedWindow> connections = new HashMap<>();

    /**
     * A server with connections that have so much left each. Others have everything left when they come.
     *
     * @param known how many connections there are at the start, by the numbers from 0 on
     */
    PerConnection(long capacity, long windowNanos, long left, int known) {
        this.capacity = capacity;
        this.windowNanos = windowNanos;
        for (int i = 0; i < known; i++) {
            connections.put(i, window(left));
        }
    }

    private FixedWindow window(long left) {
        return new FixedWindow(capacity, windowNanos, left, 0, WindowStart.FIRST_REQUEST);
    }

    @Override
    public Answer answer(long now) {
        return answer(now, Load.NONE);
    }

    @Override
    public Answer answer(long now, Load load) {
        int connection = load.connection() == Load.ANY ? roomiest(now) : load.connection();
        return connections
                .computeIfAbsent(connection, unknown -> window(capacity))
                .answer(now);
    }

    private int roomiest(long now) {
        return connections.entrySet().stream()
                .max(Comparator.comparingLong(each -> each.getValue().remaining(now)))
                .map(Map.Entry::getKey)
                .orElse(0);
    }

    /** {@return what is left on all connections together} */
    @Override
    public long remaining(long now) {
        return connections.values().stream()
                .mapToLong(window -> window.remaining(now))
                .sum();
    }

    @Override
    public long resetNanos(long now) {
        return connections.values().stream()
                .mapToLong(window -> window.resetNanos(now))
                .min()
                .orElse(windowNanos);
    }

    @Override
    public double grantable(long duration) {
        return connections.values().stream()
                .mapToDouble(window -> window.grantable(duration))
                .sum();
    }

    @Override
    public double sustainedPerSecond() {
        return Double.NaN;
    }
}
