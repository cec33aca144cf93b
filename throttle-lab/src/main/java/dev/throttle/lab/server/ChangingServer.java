package dev.throttle.lab.server;

import org.jspecify.annotations.Nullable;

/**
 * A server that becomes another one once: its capacity changes, or it loses all counts. After a change of the capacity,
 * what was used stays used: with half the capacity, the half is missing from what is left.
 */
final class ChangingServer implements SimulatedServer {

    /** Makes the server after the change, whose time begins with the change, from what is left then until the reset. */
    interface Successor {
        SimulatedServer start(long initial, long resetNanos);
    }

    private final SimulatedServer first;
    private final long firstCapacity;
    private final long changesAt;
    private final long capacity;
    private final boolean forgets;
    private final Successor successor;
    private @Nullable SimulatedServer second;
    private long initial;

    ChangingServer(
            SimulatedServer first,
            long firstCapacity,
            long changesAt,
            long capacity,
            boolean forgets,
            Successor successor) {
        this.first = first;
        this.firstCapacity = firstCapacity;
        this.changesAt = changesAt;
        this.capacity = capacity;
        this.forgets = forgets;
        this.successor = successor;
    }

    private SimulatedServer after() {
        SimulatedServer server = second;
        if (server == null) {
            long left = first.remaining(changesAt);
            initial = Math.max(0, Math.min(capacity, left + capacity - firstCapacity));
            server = successor.start(initial, first.resetNanos(changesAt));
            second = server;
        }
        return server;
    }

    @Override
    public Answer answer(long now) {
        return answer(now, Load.NONE);
    }

    @Override
    public Answer answer(long now, Load load) {
        return now < changesAt
                ? first.answer(now, load)
                : after().answer(now - changesAt, load).limit(capacity);
    }

    @Override
    public long remaining(long now) {
        return now < changesAt ? first.remaining(now) : after().remaining(now - changesAt);
    }

    @Override
    public long resetNanos(long now) {
        if (now >= changesAt) {
            return after().resetNanos(now - changesAt);
        }
        long reset = first.resetNanos(now);
        return reset == Answer.UNKNOWN ? reset : Math.min(reset, changesAt - now);
    }

    /** What is left at a change counts as granted before it, unless it is forgotten: then all is granted anew. */
    @Override
    public double grantable(long duration) {
        return duration <= changesAt
                ? first.grantable(duration)
                : first.grantable(changesAt) + after().grantable(duration - changesAt) - (forgets ? 0 : initial);
    }

    @Override
    public double sustainedPerSecond() {
        return Math.min(first.sustainedPerSecond(), after().sustainedPerSecond());
    }
}
