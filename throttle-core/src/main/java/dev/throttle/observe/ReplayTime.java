package dev.throttle.observe;

import dev.throttle.time.TimeSource;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that goes from task to task, in which hours take moments. One thread uses it. */
final class ReplayTime implements TimeSource {

    private static final int NANOS_PER_MILLI = 1_000_000;

    private static final class Task {

        private final long due;
        private final long order;
        private final Runnable run;
        private boolean isCancelled;

        Task(long due, long order, Runnable run) {
            this.due = due;
            this.order = order;
            this.run = run;
        }
    }

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.<Task>comparingLong(task -> task.due).thenComparingLong(task -> task.order));

    private long now;
    private long scheduled;

    ReplayTime(long start) {
        this.now = start;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public long currentTimeMillis() {
        return now / NANOS_PER_MILLI;
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        throw new UnsupportedOperationException("nothing waits on a thread here");
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        long due = delayNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + Math.max(0, delayNanos);
        Task entry = new Task(due, scheduled++, task);
        tasks.add(entry);
        return () -> entry.isCancelled = true; // to look for it would take longer than to pass it
    }

    /** Goes to the next task and runs it; {@return false if there is none} */
    boolean step() {
        Task next = tasks.poll();
        if (next == null) {
            return false;
        }
        if (!next.isCancelled) {
            now = Math.max(now, next.due);
            next.run.run();
        }
        return true;
    }
}
