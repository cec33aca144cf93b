package dev.throttle.okhttp;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Dispatcher;

/**
 * Runs the callbacks of calls that end while they are parked on the dispatcher's executor, on no more threads than the
 * dispatcher would use: thousands of calls can be canceled at once.
 */
final class CallbackRunner {

    private final Dispatcher dispatcher;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger threads = new AtomicInteger();

    CallbackRunner(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    void add(Runnable task) {
        tasks.add(task);
        addThread();
    }

    private void addThread() {
        int most = dispatcher.getMaxRequests();
        int current = threads.get();
        while (current < most) {
            if (threads.compareAndSet(current, current + 1)) {
                start();
                return;
            }
            current = threads.get();
        }
    }

    private void start() {
        try {
            dispatcher.executorService().execute(this::drain);
        } catch (Throwable e) {
            ForkJoinPool.commonPool()
                    .execute(this::drain); // the executor is shut down, but callbacks are owed all the same
        }
    }

    private void drain() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                Thread thread = Thread.currentThread();
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            }
        }
        threads.decrementAndGet();
        if (!tasks.isEmpty()) {
            addThread(); // a task that came after the last look and found no thread free
        }
    }
}
