package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many threads at a limit of requests in flight, with every kind of ending: it is never exceeded, and nobody is lost.
 */
@Timeout(120)
class InFlightRaceTest {

    private static final int LIMIT = 3;
    private static final int THREADS = 8;
    private static final int CALLS = 1_000;

    private final Throttle throttle = Throttle.builder()
            .strategy(Strategies.none())
            .limit(Strategies.inFlight().limit(LIMIT).build())
            .build();
    private final AtomicInteger onTheWire = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    @Test
    void theLimitIsNeverExceededAndEverybodyGetsATurn() throws Exception {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch start = new CountDownLatch(1);
        List<Throwable> failures = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom random = new SplittableRandom(i);
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    for (int call = 0; call < CALLS; call++) {
                        call(random);
                    }
                } catch (Throwable e) {
                    synchronized (failures) {
                        failures.add(e);
                    }
                }
            });
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(most.get()).isLessThanOrEqualTo(LIMIT);
        assertThat(ended.get()).isEqualTo(THREADS * CALLS);
        assertThat(throttle.snapshot().inFlight()).isZero();
        assertThat(throttle.snapshot().waiting()).isZero();
        List<Permit> free = new ArrayList<>();
        for (Permit permit = throttle.tryAcquire(); permit != null; permit = throttle.tryAcquire()) {
            free.add(permit);
        }
        assertThat(free).hasSize(LIMIT);
    }

    private void call(SplittableRandom random) throws Exception {
        if (random.nextInt(4) == 0) {
            CompletableFuture<Permit> givenUp = throttle.acquireAsync();
            if (!givenUp.cancel(false)) {
                end(givenUp.join(), random); // it had its permit already
            } else {
                ended.incrementAndGet();
            }
        } else {
            end(throttle.acquire(), random);
        }
    }

    private void end(Permit permit, SplittableRandom random) {
        most.accumulateAndGet(onTheWire.incrementAndGet(), Math::max);
        Thread.yield();
        onTheWire.decrementAndGet();
        ended.incrementAndGet();
        switch (random.nextInt(4)) {
            case 0 -> permit.release();
            case 1 -> permit.end(Signal.of(Outcome.CANCELLED, RateHints.NONE));
            case 2 -> permit.end(Signal.FAILED);
            default -> permit.complete(Signal.SUCCESS);
        }
    }
}
