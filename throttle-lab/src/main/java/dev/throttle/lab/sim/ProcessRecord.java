package dev.throttle.lab.sim;

import dev.throttle.lab.server.Load;
import java.util.ArrayList;
import java.util.List;

/** What was seen of one process. */
public final class ProcessRecord {

    private final List<ThreadRecord> threads = new ArrayList<>();
    private final LongList acceptedAt = new LongList();
    private final LongList refusedAt = new LongList();
    /** What became of the calls of each route. */
    private final List<RouteRecord> scopes = new ArrayList<>();

    private final int number;
    private final double[] acceptedCost = new double[2];
    private final long joinedAt;
    private final LongList arrivedAt = new LongList();
    private long leftAt = Long.MAX_VALUE;
    private long doneAt = Long.MAX_VALUE;

    ProcessRecord(RunRecord run, int number, int threads, long joinedAt, boolean traced) {
        this.number = number;
        this.joinedAt = joinedAt;
        for (int i = 0; i < Math.max(1, run.scenario().scopes().size()); i++) {
            scopes.add(new RouteRecord());
        }
        for (int i = 0; i < threads; i++) {
            this.threads.add(new ThreadRecord(run, this, traced));
        }
    }

    void accepted(long now, Load load) {
        acceptedAt.add(now);
        scope(load.route()).answered(true);
        acceptedCost[0] += load.tokens();
        acceptedCost[1] += load.output();
    }

    void refused(long now, Load load) {
        refusedAt.add(now);
        scope(load.route()).answered(false);
    }

    /**
     * {@return how often it was refused before a time}
     *
     * @param to the time, in nanoseconds from the start
     */
    public long refusedBefore(long to) {
        return refusedAt.countBelow(to);
    }

    RouteRecord scope(int route) {
        return scopes.get(route);
    }

    /** {@return its number, by which its calls cost what they cost} */
    int number() {
        return number;
    }

    double acceptedCost(int index) {
        return acceptedCost[index];
    }

    void arrived(long now) {
        arrivedAt.add(now);
    }

    /** All its calls have been answered with 200. */
    void done(long now) {
        doneAt = now;
    }

    boolean isDone() {
        return doneAt != Long.MAX_VALUE;
    }

    long doneAt() {
        return doneAt;
    }

    long joinedAt() {
        return joinedAt;
    }

    LongList arrivedAt() {
        return arrivedAt;
    }

    void left(long now) {
        leftAt = now;
    }

    /** {@return its threads} */
    public List<ThreadRecord> threads() {
        return threads;
    }

    boolean isPresent(long from, long to) {
        return joinedAt <= from && leftAt >= to;
    }

    long presentNanos(long end) {
        return Math.min(leftAt, end) - joinedAt;
    }

    long accepted() {
        return acceptedAt.size();
    }

    /** {@return when the server accepted its requests, in nanoseconds from the start} */
    public LongList acceptedAt() {
        return acceptedAt;
    }

    long acceptedBetween(long from, long to) {
        return acceptedAt.countBelow(to) - (long) acceptedAt.countBelow(from);
    }
}
