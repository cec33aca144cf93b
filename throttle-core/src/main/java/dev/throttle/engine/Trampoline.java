package dev.throttle.engine;

import dev.throttle.internal.Faults;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks one after the other. What a task does may make more tasks ready on the same thread, where the executor
 * runs tasks on the spot; those run after it, so that calls cannot nest without end.
 */
final class Trampoline {

    private static final Faults FAULTS = new Faults("telling a caller or a throttle that its wait is over");

    private static final ThreadLocal<@Nullable ArrayDeque<Runnable>> AT_WORK = new ThreadLocal<>();

    private Trampoline() {}

    /** Runs a task, or leaves it to the call of this method that this thread is at. */
    static void run(Runnable first) {
        ArrayDeque<Runnable> atWork = AT_WORK.get();
        if (atWork != null) {
            atWork.add(first);
            return;
        }
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        AT_WORK.set(tasks);
        try {
            for (Runnable task = first; task != null; task = tasks.poll()) {
                try {
                    task.run();
                } catch (Throwable e) {
                    FAULTS.report(e); // the others are to be told still
                }
            }
        } finally {
            AT_WORK.remove();
        }
    }
}
