package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.control.Strategies;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.RateHints;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many threads at many keys within two limits, with every kind of ending, and with keys that are paused: no limit is
 * ever exceeded, and nobody is lost.
 */
@Timeout(60)
class SharedLimitRaceTest {

    private static final int LIMIT = 3;
    private static final int THREADS = 6;
    private static final int CALLS = 200;
    private static final int KEYS = 5;

    private final AtomicInteger onTheWire = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    private final SharedLimit wire =
            SharedLimit.of("wire", Strategies.inFlight().limit(LIMIT).build());
    private final SharedLimit rate = SharedLimit.of(
            "rate",
            Strategies.tokenBucket()
                    .rate(20_000, Duration.ofSeconds(1))
                    .burst(2)
                    .build());

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void neverMoreAndNobodyIsLost(long seed) throws Exception {
        ThrottleRegistry within = ThrottleRegistry.builder()
                .strategy(Strategies.none())
                .limit(wire)
                .limit(rate)
                .maxKeys(2)
                .build();
        Throttle outside =
                Throttle.builder().strategy(Strategies.none()).limit(rate).build();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(seed * THREADS + i);
                work.add(threads.submit((Callable<Void>) () -> {
                    for (int call = 0; call < CALLS; call++) {
                        step(within, outside, random);
                    }
                    return null;
                }));
            }
            for (Future<?> part : work) {
                part.get(50, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(most.get()).isBetween(1, LIMIT);
        for (Throttle throttle : within.all()) {
            assertThat(throttle.snapshot().inFlight()).isZero();
            assertThat(throttle.snapshot().waiting()).isZero();
        }
        assertThat(free()).isEqualTo(LIMIT);
    }

    private void step(ThrottleRegistry within, Throttle outside, SplittableRandom random) throws Exception {
        Throttle throttle = within.get("k" + random.nextInt(KEYS));
        switch (random.nextInt(8)) {
            case 0 -> {
                CompletableFuture<Permit> givenUp = throttle.acquireAsync();
                if (!givenUp.cancel(false)) {
                    end(givenUp.join(), random);
                }
            }
            case 1 -> {
                throttle.pause();
                CompletableFuture<Permit> place = throttle.acquireAsync();
                throttle.resume();
                end(place.get(), random);
            }
            case 2 -> outside.acquire().complete(Signal.SUCCESS);
            case 3 -> end(throttle.acquireAsync().get(), random);
            default -> end(throttle.acquire(), random);
        }
    }

    private void end(Permit permit, SplittableRandom random) {
        most.accumulateAndGet(onTheWire.incrementAndGet(), Math::max);
        Thread.yield();
        onTheWire.decrementAndGet();
        switch (random.nextInt(4)) {
            case 0 -> permit.release();
            case 1 -> permit.end(Signal.of(Outcome.CANCELLED, RateHints.NONE));
            case 2 -> permit.end(Signal.FAILED);
            default -> permit.complete(Signal.SUCCESS);
        }
    }

    /** {@return how many places are free} */
    private int free() {
        Throttle one =
                Throttle.builder().strategy(Strategies.none()).limit(wire).build();
        int free = 0;
        while (one.tryAcquire() != null) {
            free++;
        }
        return free;
    }
}
