package dev.throttle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.throttle.client.Calls;
import dev.throttle.engine.ThrottledCall;
import dev.throttle.retry.RetryPolicy;
import dev.throttle.signal.Signal;
import dev.throttle.testing.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever eight threads do to one throttle at the same time, in the end nothing is left of it. */
@Tag("slow")
class InterleavingsTest {

    private static final int THREADS = 8;
    private static final int ROUNDS = 10_000;
    private static final int STEPS = 6;

    private final VirtualTime time = new VirtualTime();

    /** Two permits at a time: nearly every end lets somebody go, so that cancels meet grants. */
    @Test
    void tenThousandRoundsLeaveNoPermitNoWaiterAndNoTimer() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS + 1);
        AtomicBoolean over = new AtomicBoolean();
        try {
            pool.execute(() -> {
                while (!over.get()) {
                    time.advanceNanos(20);
                    Thread.yield();
                }
            });
            Throttle throttle = Throttle.builder()
                    .strategy(TestStrategies.atMostOnTheWire(2))
                    .limit(TestStrategies.pace(Duration.ofNanos(10)))
                    .retryPolicy(RetryPolicy.builder()
                            .backoff((attempt, random) -> (long) (random * 50))
                            .budget(10, 1_000_000)
                            .build())
                    .maxWait(Duration.ofMillis(1))
                    .time(time)
                    .executor(Runnable::run)
                    .seed(1)
                    .build();
            CyclicBarrier start = new CyclicBarrier(THREADS);
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                SplittableRandom random = new SplittableRandom(t);
                workers.add(pool.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        if (round % 100 == 0) {
                            start.await(60, TimeUnit.SECONDS);
                        }
                        round(throttle, random);
                    }
                    return null;
                }));
            }
            for (Future<?> worker : workers) {
                worker.get(100, TimeUnit.SECONDS);
            }
            over.set(true);
            assertThat(throttle.snapshot().inFlight()).isZero();
            assertThat(throttle.snapshot().waiting()).isZero();
            assertThat(time.scheduledTasks()).isZero();
            CompletableFuture<Permit> next = throttle.acquireAsync();
            time.advanceNanos(1_000); // the last one to go may have gone less than its pace ago
            next.get(10, TimeUnit.SECONDS).complete(Signal.SUCCESS);
            assertThat(throttle.snapshot().inFlight()).isZero();
        } finally {
            over.set(true);
            pool.shutdownNow();
        }
    }

    /** Asks, and ends what it got in a way drawn at random; gives up what it did not get. */
    private void round(Throttle throttle, SplittableRandom random) throws Exception {
        ThrottledCall call = Calls.of(throttle).newCall();
        for (int step = 0; step < STEPS; step++) {
            Permit permit = random.nextInt(4) == 0 ? blocking(call, random) : asynchronous(call, random);
            if (permit == null || !end(permit, random)) {
                return;
            }
        }
    }

    private @Nullable Permit asynchronous(ThrottledCall call, SplittableRandom random) throws Exception {
        CompletableFuture<Permit> admission = call.acquireAsync();
        for (int i = random.nextInt(20); i > 0 && !admission.isDone(); i--) {
            Thread.onSpinWait();
        }
        switch (random.nextInt(4)) {
            case 0 -> admission.cancel(false);
            case 1 -> call.cancel();
            case 2 -> admission.completeExceptionally(new TimeoutException());
            default -> {}
        }
        try {
            return admission.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException | CancellationException e) {
            return null;
        }
    }

    private @Nullable Permit blocking(ThrottledCall call, SplittableRandom random) throws Exception {
        if (random.nextInt(3) == 0) {
            Thread.currentThread().interrupt();
        }
        try {
            return call.acquire();
        } catch (InterruptedException | ThrottleRejectedException | CancellationException e) {
            return null;
        }
    }

    /** {@return whether the call goes on} */
    private static boolean end(Permit permit, SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> {
                permit.release();
                yield false;
            }
            case 1 -> permit.complete(Signal.FAILED).isRetry();
            case 2 -> permit.complete(Signal.RATE_LIMITED).isRetry();
            case 3 -> permit.complete(Signal.CANCELLED).isRetry();
            default -> permit.complete(Signal.SUCCESS).isRetry();
        };
    }
}
