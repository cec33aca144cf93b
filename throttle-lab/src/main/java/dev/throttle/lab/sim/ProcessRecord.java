package dev.throttle.lab.sim;

import java.util.ArrayList;
import java.util.List;

/** What was seen of one process. */
public final class ProcessRecord {

    private final List<ThreadRecord> threads = new ArrayList<>();
    private final LongList acceptedAt = new LongList();
    private final long joinedAt;
    private long leftAt = Long.MAX_VALUE;

    ProcessRecord(RunRecord run, int threads, long joinedAt, boolean traced) {
        this.joinedAt = joinedAt;
        for (int i = 0; i < threads; i++) {
            this.threads.add(new ThreadRecord(run, this, traced));
        }
    }

    void accepted(long now) {
        acceptedAt.add(now);
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

    long acceptedBetween(long from, long to) {
        return acceptedAt.countBelow(to) - (long) acceptedAt.countBelow(from);
    }
}
