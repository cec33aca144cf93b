package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.control.Strategies;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.signal.Outcome;
import dev.throttle.signal.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many threads pause, resume, drain and close while others ask, wait and give up: nothing is lost or left. */
class PauseRaceTest {

    private static final int THREADS = 6;
    private static final int STEPS = 400;

    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicLong afterClose = new AtomicLong();
    private final Queue<CompletableFuture<Permit>> places = new ConcurrentLinkedQueue<>();
    private final Queue<CompletableFuture<Void>> drains = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nothingIsLeft(long seed) throws Exception {
        ThrottleRegistry throttles = ThrottleRegistry.builder()
                .strategy(Strategies.none())
                .limit(Strategies.inFlight().limit(3).build())
                .maxWait(Duration.ofMinutes(5))
                .maxKeys(2)
                .build();
        boolean atLastClosed = seed % 2 == 0;
        run(throttles, new SplittableRandom(seed));
        if (atLastClosed) {
            throttles.close();
        } else {
            throttles.resume();
            throttles.all().forEach(Throttle::resume);
        }
        for (CompletableFuture<Permit> place : places) {
            end(place);
        }
        for (Throttle throttle : throttles.all()) {
            Blocking.await(() -> throttle.snapshot().inFlight() == 0);
            assertThat(throttle.snapshot().waiting()).isZero();
            throttle.drain().get(20, TimeUnit.SECONDS);
        }
        for (CompletableFuture<Void> drain : drains) { // done or taken back, but not forgotten
            Blocking.await(drain::isDone);
        }
    }

    private static void end(CompletableFuture<Permit> place) {
        Permit permit = place.handle((granted, failure) -> granted).join();
        if (permit != null) {
            permit.end(Signal.SUCCESS);
        }
    }

    private void run(ThrottleRegistry throttles, SplittableRandom random) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS + 1);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom own = random.split();
                work.add(threads.submit((Callable<Void>) () -> {
                    for (int step = 0; step < STEPS; step++) {
                        ask(throttles.get("key" + own.nextInt(4)), own);
                    }
                    return null;
                }));
            }
            SplittableRandom own = random.split();
            work.add(threads.submit(() -> {
                for (int step = 0; step < STEPS; step++) {
                    control(own.nextBoolean() ? throttles : throttles.get("key" + own.nextInt(4)), own);
                }
            }));
            for (Future<?> part : work) {
                part.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void ask(Throttle throttle, SplittableRandom random) {
        ThrottledCall call = Calls.of(throttle).newCall();
        CompletableFuture<Permit> place = call.acquireAsync();
        switch (random.nextInt(4)) {
            case 0 -> {
                if (!place.cancel(false)) {
                    end(place);
                }
            }
            case 1 -> {
                if (place.isDone()) {
                    end(place);
                } else {
                    places.add(place);
                    call.cancel();
                }
            }
            default ->
                places.add(place.whenComplete((permit, failure) -> {
                    if (permit != null) {
                        permit.end(Signal.SUCCESS);
                    }
                }));
        }
    }

    private void control(Pausable what, SplittableRandom random) {
        switch (random.nextInt(5)) {
            case 0 -> what.pause();
            case 1 -> what.pauseUncounted();
            case 2 -> drains.add(what.drain());
            default -> what.resume();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void nobodyGoesOnceItIsClosed(long seed) throws Exception {
        Throttle throttle = Throttle.builder().strategy(Strategies.none()).build();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                work.add(threads.submit(() -> {
                    for (int step = 0; step < 10 * STEPS; step++) {
                        boolean before = closed.get();
                        Permit permit = throttle.tryAcquire();
                        if (permit != null) {
                            afterClose.addAndGet(before ? 1 : 0);
                            permit.complete(Signal.SUCCESS);
                        }
                    }
                }));
            }
            Blocking.await(() -> throttle.count(Outcome.SUCCESS) > seed * 100);
            throttle.close();
            closed.set(true);
            for (Future<?> part : work) {
                part.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(afterClose).hasValue(0);
        throttle.drain().get(20, TimeUnit.SECONDS);
        assertThat(throttle.snapshot().inFlight()).isZero();
    }
}
