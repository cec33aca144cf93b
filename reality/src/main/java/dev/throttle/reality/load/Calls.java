package dev.throttle.reality.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** Ways to make calls. All of them end at their bound, whether the calls have ended or not. */
final class Calls {

    private final LoadClient client;
    private final Tally tally = new Tally();

    Calls(LoadClient client) {
        this.client = client;
    }

    Tally tally() {
        return tally;
    }

    /** Makes so many calls with callers that block. */
    void job(int calls, int callers, Duration bound) throws InterruptedException {
        AtomicInteger begun = new AtomicInteger();
        block(callers, bound, () -> begun.incrementAndGet() <= calls);
    }

    /** Makes calls with callers that block, until the bound. */
    void endless(int callers, Duration bound) throws InterruptedException {
        long end = System.nanoTime() + bound.toNanos();
        block(callers, bound, () -> System.nanoTime() < end);
    }

    private interface More {
        boolean more();
    }

    private void block(int callers, Duration bound, More more) throws InterruptedException {
        long deadline = System.nanoTime() + bound.toNanos();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Thread thread = new Thread(
                    () -> {
                        while (System.nanoTime() < deadline && more.more()) {
                            long startedAt = System.nanoTime();
                            try {
                                tally.ended(startedAt, client.call(), null);
                            } catch (Exception e) {
                                if (System.nanoTime() < deadline) {
                                    tally.ended(startedAt, null, e);
                                }
                            }
                        }
                    },
                    "caller");
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
        for (Thread thread : threads) {
            thread.interrupt();
        }
    }

    /** Makes so many calls at once. */
    void flood(int calls, Duration bound) throws InterruptedException {
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            futures.add(later());
        }
        await(futures, bound);
    }

    /** Makes calls at random times, so many a second on average, and returns how many. */
    int poisson(double callsPerSecond, Duration length, Duration bound, RandomGenerator random)
            throws InterruptedException {
        long start = System.nanoTime();
        List<CompletableFuture<?>> futures = new ArrayList<>();
        for (double at = 0; ; ) {
            at -= Math.log(1 - random.nextDouble()) / callsPerSecond;
            if (at * 1e9 > length.toNanos()) {
                break;
            }
            for (long wait; (wait = start + (long) (at * 1e9) - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(wait);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            futures.add(later());
        }
        await(futures, bound.minusNanos(System.nanoTime() - start));
        return futures.size();
    }

    private CompletableFuture<?> later() {
        long startedAt = System.nanoTime();
        return client.callLater().handle((status, failure) -> {
            tally.ended(startedAt, status, failure);
            return null;
        });
    }

    private static void await(List<CompletableFuture<?>> futures, Duration bound) throws InterruptedException {
        try {
            CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
                    .get(bound.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // What has not ended by now is counted as unfinished.
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }
}
