package dev.throttle.redis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs one task after the other, on another executor's threads. What is too much is dropped. */
final class SerialExecutor implements Executor {

    private static final int MOST = 10_000;

    private final Executor executor;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    SerialExecutor(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        if (size.get() > MOST) {
            return;
        }
        tasks.add(task);
        if (size.getAndIncrement() == 0) {
            executor.execute(this::drain);
        }
    }

    private void drain() {
        do {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            }
        } while (size.decrementAndGet() > 0);
    }
}
