package dev.throttle.lease.fleet;

import dev.throttle.internal.Faults;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Runs one task after the other, on another executor's threads. The callback given with a task is called if the task
 * fails, or if it will never run because there are too many tasks or the executor has no thread. Thread-safe.
 */
final class SerialExecutor {

    private static final int MOST = 10_000;

    private final Executor executor;
    private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final Faults taskFaults = new Faults("a task of the fleet");
    private final Faults executorFaults = new Faults("the executor of the fleet");

    private record Task(Runnable work, Consumer<Throwable> failed) {}

    SerialExecutor(Executor executor) {
        this.executor = executor;
    }

    /**
     * Runs a task after those before it.
     *
     * @param failed called with what the task threw, or why it will not run; maybe at once
     */
    void execute(Runnable work, Consumer<Throwable> failed) {
        if (size.get() >= MOST) {
            failed.accept(new RejectedExecutionException("the fleet has too much to do"));
            return;
        }
        tasks.add(new Task(work, failed));
        if (size.getAndIncrement() == 0) {
            try {
                executor.execute(() -> forEach(this::run));
            } catch (RuntimeException | Error e) {
                executorFaults.report(e);
                forEach(task -> tell(task, e)); // those that others added meanwhile as well
            }
        }
    }

    private void forEach(Consumer<Task> action) {
        do {
            Task task = tasks.poll();
            if (task != null) {
                action.accept(task);
            }
        } while (size.decrementAndGet() > 0);
    }

    private void run(Task task) {
        try {
            task.work().run();
        } catch (RuntimeException | Error e) {
            taskFaults.report(e);
            tell(task, e);
        }
    }

    private void tell(Task task, Throwable failure) {
        try {
            task.failed().accept(failure);
        } catch (RuntimeException | Error e) {
            taskFaults.report(e);
        }
    }
}
