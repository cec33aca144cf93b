package dev.throttle.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Blocking callers that take every turn they can get. */
final class Turns {

    private Turns() {}

    /** {@return when each turn came, in order} */
    static long[] take(Accuracy.Turn turn, int callers, Duration duration) throws InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        ConcurrentLinkedQueue<Long> times = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<Exception> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Thread thread = new Thread(() -> {
                try {
                    turn.await();
                    long now = System.nanoTime();
                    while (now < end) {
                        times.add(now);
                        turn.await();
                        now = System.nanoTime();
                    }
                } catch (Exception e) {
                    if (System.nanoTime() < end) { // else it was woken from a turn that comes too late
                        failures.add(e);
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        Thread.sleep(duration.toMillis());
        for (Thread thread : threads) {
            thread.interrupt();
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.peek());
        }
        return times.stream().mapToLong(Long::longValue).sorted().toArray();
    }
}
