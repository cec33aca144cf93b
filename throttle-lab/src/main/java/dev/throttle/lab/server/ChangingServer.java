package dev.throttle.lab.server;

/**
 * A server whose capacity changes once. What was used before the change stays used: with half the capacity, the half is
 * missing from what is left.
 */
final class ChangingServer implements SimulatedServer {

    /** Makes the server after the change, whose time begins with the change. */
    interface Successor {
        SimulatedServer start(long initial);
    }

    private final SimulatedServer first;
    private final long firstCapacity;
    private final long changesAt;
    private final long capacity;
    private final Successor successor;
    private @org.jspecify.annotations.Nullable SimulatedServer second;
    private long initial;

    ChangingServer(SimulatedServer first, long firstCapacity, long changesAt, long capacity, Successor successor) {
        this.first = first;
        this.firstCapacity = firstCapacity;
        this.changesAt = changesAt;
        this.capacity = capacity;
        this.successor = successor;
    }

    private SimulatedServer after() {
        SimulatedServer server = second;
        if (server == null) {
            long left = first.remaining(changesAt);
            initial = Math.max(0, Math.min(capacity, left + capacity - firstCapacity));
            server = successor.start(initial);
            second = server;
        }
        return server;
    }

    @Override
    public Answer answer(long now) {
        return now < changesAt
                ? first.answer(now)
                : after().answer(now - changesAt).limit(capacity);
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

    /** What is left at the change counts as granted before it. */
    @Override
    public double grantable(long duration) {
        return duration <= changesAt
                ? first.grantable(duration)
                : first.grantable(changesAt) + after().grantable(duration - changesAt) - initial;
    }

    @Override
    public double sustainedPerSecond() {
        return Math.min(first.sustainedPerSecond(), after().sustainedPerSecond());
    }
}
