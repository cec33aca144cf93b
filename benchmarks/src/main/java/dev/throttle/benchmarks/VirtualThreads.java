package dev.throttle.benchmarks;

import dev.throttle.Permit;
import dev.throttle.Throttle;
import dev.throttle.ThrottleRejectedException;
import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Virtual threads that wait for permits, blocking as they would in a program. Time is real here. */
final class VirtualThreads {

    private static final double NANOS_PER_MILLI = 1e6;

    private VirtualThreads() {}

    /**
     * What was measured.
     *
     * @param bytes heap for each waiting thread, its stack included
     * @param platformThreads platform threads that the waiting took
     * @param lastAfterNanos how long after the gate opened the last one was through
     * @param admitted how many were let through
     */
    record Result(double bytes, int platformThreads, long lastAfterNanos, int admitted) {}

    /**
     * Runs the measurement.
     *
     * @param arguments the scale
     */
    public static void main(String[] arguments) throws InterruptedException, ThrottleRejectedException {
        ExecutorService virtual = newExecutor();
        System.out.println();
        if (virtual == null) {
            System.out.println("Virtual threads: skipped, JDK " + Runtime.version()
                    + " has none. Name one that has with --newer-jdk.");
            return;
        }
        Scale scale = Scale.valueOf(arguments[0]);
        measure(virtual, scale.of(10_000, 1000), Duration.ofSeconds(2));
        Table table = new Table(
                System.out,
                "virtual threads waiting, JDK " + Runtime.version().feature(),
                "bytes each",
                "platform threads added",
                "last one through after the gate opened, ms");
        for (int threads : List.of(scale.of(10_000, 1000), scale.of(100_000, 10_000))) {
            Result result = measure(virtual, threads, Duration.ofSeconds(5));
            table.row(
                    Table.number(result.admitted, 0),
                    Table.number(result.bytes, 0),
                    result.platformThreads,
                    Table.number(result.lastAfterNanos / NANOS_PER_MILLI, 1));
        }
        virtual.shutdown();
    }

    /** {@return an executor with a virtual thread for each task; null where there are none} */
    static @Nullable ExecutorService newExecutor() {
        try {
            return (ExecutorService) MethodHandles.publicLookup()
                    .findStatic(
                            Executors.class,
                            "newVirtualThreadPerTaskExecutor",
                            MethodType.methodType(ExecutorService.class))
                    .invoke();
        } catch (NoSuchMethodException e) {
            return null;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Lets so many threads wait for a server that named a time to stay away.
     *
     * @param closed how long
     */
    static Result measure(ExecutorService executor, int threads, Duration closed)
            throws InterruptedException, ThrottleRejectedException {
        Throttle throttle = Throttle.builder()
                .strategy(Strategies.none())
                .retryAfterJitter(0, Duration.ZERO)
                .build();
        Permit first = throttle.acquire();
        long opensAt = System.nanoTime() + closed.toNanos();
        first.complete(new Signal(Outcome.RATE_LIMITED, new RateHints(closed, List.of())));
        AtomicInteger admitted = new AtomicInteger();
        AtomicLong lastAt = new AtomicLong(Long.MIN_VALUE);
        CountDownLatch through = new CountDownLatch(threads);
        int platformBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        long heapBefore = Heap.used();
        for (int i = 0; i < threads; i++) {
            executor.execute(() -> {
                try {
                    Permit permit = throttle.acquire();
                    long now = System.nanoTime();
                    lastAt.accumulateAndGet(now - opensAt, Math::max);
                    permit.complete(Signal.SUCCESS);
                    admitted.incrementAndGet();
                } catch (Exception e) {
                    System.out.println("not admitted: " + e);
                } finally {
                    through.countDown();
                }
            });
        }
        while (throttle.snapshot().waiting() < threads) {
            if (System.nanoTime() > opensAt) {
                throw new IllegalStateException("the gate opened before all were waiting");
            }
            Thread.sleep(1);
        }
        double bytes = (double) (Heap.used() - heapBefore) / threads;
        int platform = ManagementFactory.getThreadMXBean().getThreadCount() - platformBefore;
        through.await();
        return new Result(bytes, platform, lastAt.get(), admitted.get());
    }
}
