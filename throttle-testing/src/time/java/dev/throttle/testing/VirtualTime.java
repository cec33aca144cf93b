package dev.throttle.testing;

import dev.throttle.time.TimeSource;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Time that stands still until it is told to move, for tests and simulations: hours pass in milliseconds, and every run
 * gives the same result.
 *
 * <p>By default a thread that parks stays parked until another thread moves the time. {@link #autoAdvancing()} makes a
 * time that moves by itself: at once when a thread parks, and for asynchronous waits when nothing else happens.
 * {@link #await} moves the time for a single future.
 *
 * <p>Tasks run on the thread that moves the time, in the order they are due, those due at the same instant in the order
 * they were scheduled. Threads that park are woken when their time has come. Thread-safe.
 */
public final class VirtualTime implements TimeSource {

    /** When a task is due whose time lies beyond what the clock can show: such a task never runs. */
    private static final long NEVER = Long.MAX_VALUE;

    /** The farthest that the time moves in one step, so that sums cannot overflow. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

    private static final long REAL_PAUSE_NANOS = 1_000_000;
    private static final int PATIENCE = 10_000;

    /** How long nothing has to happen until asynchronous waits are ended, in real time. */
    private static final Duration QUIET = Duration.ofMillis(50);

    /** How often it is looked whether anything happens. */
    private static final long LOOK_NANOS = 5_000_000;

    /**
     * Guards all but the reading of the time. A monitor: a thread that waits for a lock that parks it may use up there
     * the wake-up that was meant for its {@link #parkUntil}.
     */
    private final Object lock = new Object();

    private final TreeSet<Task> tasks =
            new TreeSet<>(Comparator.comparingLong(Task::dueSinceOrigin).thenComparingLong(Task::order));
    private final long origin;
    private final long originMillis;
    private final boolean autoAdvancing;
    /** How often nothing has to be seen to happen. */
    private final long quietLooks;

    private volatile long now;
    private long scheduled;
    /** Counts what threads do with a time that moves by itself. Guarded by the lock, as the next two. */
    private long used;

    private boolean isWatched;
    private final Set<Thread> users = Collections.newSetFromMap(new WeakHashMap<>());

    /** Time that begins one second after the origin of both clocks, as code under test may take zero for "never". */
    public VirtualTime() {
        this(1_000_000_000L, 1_000L);
    }

    /**
     * {@return time that moves by itself} A thread that parks until an instant moves the time there, and runs the tasks
     * that fall due on the way. With several threads, the one that parks first moves the time for all.
     *
     * <p>Tasks that no thread parks for, as those of asynchronous waits, are run when nothing else happens: when for 50
     * milliseconds of real time nothing was scheduled, and none of the threads that use this time is running. A daemon
     * thread sees to that while there are tasks. So {@code sendAsync(...).join()} ends, and takes a moment of real time
     * for each wait.
     */
    public static VirtualTime autoAdvancing() {
        return autoAdvancing(QUIET);
    }

    /**
     * {@return time that moves by itself as {@link #autoAdvancing()} does, but waits longer or shorter until it ends
     * asynchronous waits} Requests that take longer than that in real time move the time, as it cannot see them.
     *
     * @param quiet how long nothing has to happen, in real time; more than zero, and at most a minute
     */
    public static VirtualTime autoAdvancing(Duration quiet) {
        if (quiet.isNegative() || quiet.isZero() || quiet.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("quiet must be more than zero and at most a minute, but was " + quiet);
        }
        return new VirtualTime(1_000_000_000L, 1_000L, true, quiet);
    }

    /**
     * Time with a chosen beginning.
     *
     * @param nanoTime the first value of {@link #nanoTime()}; any value, also one about to overflow
     * @param currentTimeMillis the first value of {@link #currentTimeMillis()}
     */
    public VirtualTime(long nanoTime, long currentTimeMillis) {
        this(nanoTime, currentTimeMillis, false, QUIET);
    }

    private VirtualTime(long nanoTime, long currentTimeMillis, boolean autoAdvancing, Duration quiet) {
        this.autoAdvancing = autoAdvancing;
        this.quietLooks = Math.max(1, quiet.toNanos() / LOOK_NANOS);
        this.origin = nanoTime;
        this.originMillis = currentTimeMillis;
        this.now = nanoTime;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    @Override
    public long currentTimeMillis() {
        return originMillis + (now - origin) / 1_000_000;
    }

    @Override
    public void parkUntil(Object blocker, long instant) {
        if (autoAdvancing && moveTowards(instant)) {
            return;
        }
        Thread thread = Thread.currentThread();
        ScheduledTask wake;
        synchronized (lock) {
            used++;
            long left = instant - now;
            if (left <= 0) {
                return;
            }
            wake = schedule(left, () -> LockSupport.unpark(thread));
        }
        try {
            LockSupport.park(blocker);
        } finally {
            wake.cancel();
        }
    }

    /**
     * Runs the next task due by an instant, or moves the time there; like a park that ends early, it leaves it to the
     * caller to look whether the wait is over.
     *
     * @return false if the instant stands for never and nothing is due, so that only another thread can end the wait
     */
    private boolean moveTowards(long instant) {
        Task task;
        synchronized (lock) {
            long elapsed = now - origin;
            long left = instant - now;
            long end = left >= NEVER - elapsed ? NEVER : elapsed + Math.max(0, left);
            task = next(Math.min(end, NEVER - 1));
            if (task == null && end == NEVER) {
                return false;
            }
            if (task == null) {
                moveTo(origin + end);
            }
        }
        if (task != null) {
            task.run.run();
        }
        return true;
    }

    /**
     * Waits for a future, and moves the time from task to task until it is done. So a test may wait on its own thread
     * for what happens later.
     *
     * @param future what to wait for
     * @param <T> the type of its result
     * @return the result
     * @throws java.util.concurrent.CompletionException if it failed
     * @throws IllegalStateException if it is not done, no task is scheduled, and nothing happens for ten seconds of
     *     real time
     */
    public <T> T await(CompletableFuture<T> future) {
        for (int idle = 0; !future.isDone(); idle++) {
            if (advanceToNextTask()) {
                idle = 0;
            } else if (idle == PATIENCE) {
                throw new IllegalStateException("nothing is scheduled that could complete the future");
            } else {
                LockSupport.parkNanos(REAL_PAUSE_NANOS); // another thread may be about to
            }
        }
        return future.join();
    }

    @Override
    public ScheduledTask schedule(long delayNanos, Runnable task) {
        synchronized (lock) {
            long elapsed = now - origin;
            long due = delayNanos >= NEVER - elapsed ? NEVER : elapsed + Math.max(0, delayNanos);
            Task entry = new Task(due, scheduled++, task);
            tasks.add(entry);
            watch();
            return () -> cancel(entry);
        }
    }

    /** Something was scheduled, for which the time may have to move by itself. Guarded by the lock. */
    private void watch() {
        used++;
        if (autoAdvancing) {
            users.add(Thread.currentThread());
            if (!isWatched) {
                isWatched = true;
                Thread watcher = new Thread(new Watcher(this), "virtual-time");
                watcher.setDaemon(true);
                watcher.start();
            }
        }
    }

    /** {@return how often the time was used; negative if no task is left, so that nobody need watch} */
    private long usedSoFar() {
        synchronized (lock) {
            isWatched = !tasks.isEmpty();
            return isWatched ? used : -1;
        }
    }

    /** {@return whether a thread that uses the time is doing something, and may be about to use it} */
    private boolean isAnyRunning() {
        List<Thread> all;
        synchronized (lock) {
            all = List.copyOf(users);
        }
        return all.stream().anyMatch(VirtualTime::isRunning);
    }

    /** A thread that waits for input or output is in a native method, and counts as one that does nothing. */
    private static boolean isRunning(Thread thread) {
        if (thread.equals(Thread.currentThread()) || thread.getState() != Thread.State.RUNNABLE) {
            return false;
        }
        StackTraceElement[] trace = thread.getStackTrace();
        return trace.length > 0 && !trace[0].isNativeMethod();
    }

    /** Moves a time from task to task whenever nothing else happens. It does not keep a time that nobody has any more. */
    private static final class Watcher implements Runnable {

        private final WeakReference<VirtualTime> watched;
        private long seen;
        private int quiet;

        Watcher(VirtualTime time) {
            this.watched = new WeakReference<>(time);
        }

        @Override
        public void run() {
            while (look(watched.get())) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
        }

        /** {@return whether to look again} */
        private boolean look(@Nullable VirtualTime time) {
            long used = time == null ? -1 : time.usedSoFar();
            if (time == null || used < 0) {
                return false;
            }
            quiet = used == seen ? quiet + 1 : 0;
            seen = used;
            if (quiet >= time.quietLooks && !time.isAnyRunning()) {
                quiet = 0;
                try {
                    time.advanceToNextTask();
                } catch (Throwable e) { // a task's own; the next one is run all the same
                    Thread thread = Thread.currentThread();
                    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                }
            }
            return true;
        }
    }

    private void cancel(Task entry) {
        synchronized (lock) {
            used++;
            tasks.remove(entry);
        }
    }

    /**
     * Moves the time forward and runs everything that falls due on the way, each task at its own instant.
     *
     * @param duration how far; not negative
     * @throws IllegalArgumentException if the duration is negative, or longer than 146 years
     */
    public void advance(Duration duration) {
        if (duration.isNegative() || duration.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("duration must be from zero to " + LONGEST + ", but was " + duration);
        }
        advanceNanos(duration.toNanos());
    }

    /**
     * Moves the time forward by nanoseconds, as {@link #advance(Duration)} does.
     *
     * @param nanos how far; not negative
     * @throws IllegalArgumentException if it is negative
     */
    public void advanceNanos(long nanos) {
        if (nanos < 0 || nanos > LONGEST.toNanos()) {
            throw new IllegalArgumentException(
                    "nanos must be from 0 to " + LONGEST.toNanos() + ", but was " + nanos);
        }
        long end = now + nanos;
        for (Task task = nextOrMoveTo(end); task != null; task = nextOrMoveTo(end)) {
            task.run.run();
        }
    }

    /** One step, so that no task can be scheduled between the last look and the move, which would pass it over. */
    private @Nullable Task nextOrMoveTo(long end) {
        synchronized (lock) {
            Task task = next(end - origin);
            if (task == null) {
                moveTo(end);
            }
            return task;
        }
    }

    /** Guarded by the lock. Time that another thread has moved further meanwhile does not run backwards. */
    private void moveTo(long instant) {
        if (instant - now > 0) {
            now = instant;
        }
    }

    /**
     * Moves the time to the next task and runs it.
     *
     * @return false if no task is scheduled, in which case the time stands still
     */
    public boolean advanceToNextTask() {
        Task task = next(NEVER - 1);
        if (task == null) {
            return false;
        }
        task.run.run();
        return true;
    }

    /** Takes the next task due by an end and moves the time to it. */
    private @Nullable Task next(long endSinceOrigin) {
        synchronized (lock) {
            if (tasks.isEmpty() || tasks.first().dueSinceOrigin > endSinceOrigin) {
                return null;
            }
            Task task = tasks.pollFirst();
            moveTo(origin + task.dueSinceOrigin);
            return task;
        }
    }

    /** {@return how many tasks are scheduled, parked threads included} */
    public int scheduledTasks() {
        synchronized (lock) {
            return tasks.size();
        }
    }

    private record Task(long dueSinceOrigin, long order, Runnable run) {}
}
