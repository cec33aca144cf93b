package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.control.Strategy;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A limit that changes a thousand times while eight threads work under it: nothing is lost, and nothing is left. */
@Timeout(120)
class ReconfigureRaceTest {

    private static final int THREADS = 8;
    private static final int CALLS = 1_500;
    private static final int CHANGES = 1_000;
    private static final int MOST = 6;

    private final AtomicInteger onTheWire = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    private static Strategy inFlight(long limit) {
        return Strategies.inFlight().limit(limit).build();
    }

    @Test
    void aLimitOfRequestsInFlight() throws InterruptedException {
        Throttle throttle = run(change -> inFlight(1 + change % MOST), inFlight(1));
        assertThat(most.get()).isLessThanOrEqualTo(MOST);
        throttle.reconfigure(key -> key.clearLimits().limit(inFlight(4)));
        assertThat(free(throttle)).isEqualTo(4);
    }

    @Test
    void limitsOfAllKinds() throws InterruptedException {
        List<Strategy> kinds = List.of(
                inFlight(3),
                Strategies.tokenBucket()
                        .rate(1_000_000, Duration.ofSeconds(1))
                        .burst(5)
                        .build(),
                Strategies.slidingWindowLog()
                        .limit(5_000)
                        .window(Duration.ofMillis(1))
                        .build(),
                Strategies.fixedWindow()
                        .limit(5_000)
                        .window(Duration.ofMillis(1))
                        .build(),
                Strategies.slidingWindowCounter()
                        .limit(5_000)
                        .window(Duration.ofMillis(1))
                        .build(),
                Strategies.leakyBucket()
                        .rate(1_000_000, Duration.ofSeconds(1))
                        .queue(1_000)
                        .build());
        Throttle throttle = run(change -> kinds.get(change % kinds.size()), kinds.get(0));
        throttle.reconfigure(key -> key.clearLimits().limit(inFlight(2)));
        assertThat(free(throttle)).isEqualTo(2);
    }

    @Test
    void aLimitThatComesAndGoes() throws InterruptedException {
        Throttle throttle = run(change -> change % 2 == 0 ? TestStrategies.free() : inFlight(2), inFlight(2));
        throttle.reconfigure(key -> key.clearLimits().limit(inFlight(3)));
        assertThat(free(throttle)).isEqualTo(3);
    }

    private interface Change {
        Strategy limit(int change);
    }

    private Throttle run(Change changes, Strategy start) throws InterruptedException {
        Throttle throttle =
                Throttle.builder().strategy(Strategies.none()).limit(start).build();
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        CountDownLatch begin = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom random = new SplittableRandom(i);
            threads.add(thread(failures, () -> {
                begin.await();
                for (int call = 0; call < CALLS; call++) {
                    call(throttle, random);
                }
            }));
        }
        threads.add(thread(failures, () -> {
            begin.await();
            for (int change = 0; change < CHANGES; change++) {
                Strategy limit = changes.limit(change);
                Duration maxWait = Duration.ofMinutes(1 + change % 3);
                throttle.reconfigure(key -> key.clearLimits().limit(limit).maxWait(maxWait));
            }
        }));
        begin.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(ended.get()).isEqualTo(THREADS * CALLS);
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
        return throttle;
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Thread thread(List<Throwable> failures, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                synchronized (failures) {
                    failures.add(e);
                }
            }
        });
        thread.start();
        return thread;
    }

    private void call(Throttle throttle, SplittableRandom random) throws Exception {
        switch (random.nextInt(4)) {
            case 0 -> {
                CompletableFuture<Permit> givenUp = throttle.acquireAsync();
                if (givenUp.cancel(false)) {
                    ended.incrementAndGet();
                } else {
                    end(givenUp.join(), random);
                }
            }
            case 1 -> end(throttle.acquireAsync().join(), random);
            default -> end(throttle.acquire(), random);
        }
    }

    private void end(Permit permit, SplittableRandom random) {
        int now = onTheWire.incrementAndGet();
        most.accumulateAndGet(now, Math::max);
        Thread.yield();
        onTheWire.decrementAndGet();
        switch (random.nextInt(3)) {
            case 0 -> permit.release();
            case 1 -> permit.end(Signal.IGNORED);
            default -> permit.complete(Signal.SUCCESS);
        }
        ended.incrementAndGet();
    }

    private static int free(Throttle throttle) {
        int free = 0;
        while (throttle.tryAcquire() != null) {
            free++;
        }
        return free;
    }
}
